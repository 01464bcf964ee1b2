export { portTransport, type PortLike, type PortOptions } from "./web/message-port.ts";
