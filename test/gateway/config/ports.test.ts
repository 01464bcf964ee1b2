import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { LocalError } from "../../../src/core/base/errors.ts";
import type { GatewayConfig } from "../../../src/gateway/config/config.ts";
import { checkPorts, portFault, warnOfHosts } from "../../../src/gateway/config/ports.ts";
import { collectProblems } from "../../../src/gateway/config/problems.ts";

interface Place {
  readonly host?: string;
  readonly port?: number | string;
}

function faults(http: Place, metrics: Place): boolean {
  const problems = collectProblems("F", () => undefined);
  checkPorts({ upstreams: {}, http, metrics }, problems);
  return problems.within("/metrics/port");
}

describe("ports", () => {
  it("of two sections are refused where both would listen at one place", () => {
    const port = 9000;
    const meets: [Place, Place][] = [[{ port }, { port }], [{ port }, { port: "9000" }], [{ port, host: "0.0.0.0" }, { port }], [{ port }, { port, host: "::" }], [{ port, host: "localhost" }, { port, host: "::1" }]];
    for (const [http, metrics] of meets) assert.ok(faults(http, metrics), JSON.stringify([http, metrics]));
    const apart: [Place, Place][] = [[{ port }, { port: 9001 }], [{}, {}], [{ port: 0 }, { port: 0 }], [{ port, host: "10.0.0.1" }, { port }], [{ port, host: "::1" }, { port }]];
    for (const [http, metrics] of apart) assert.ok(!faults(http, metrics), JSON.stringify([http, metrics]));
  });

  it("at hosts that this machine has not are warned of, where that can be known", () => {
    const addresses = ["127.0.0.1", "10.0.0.1", "fe80::1"];
    const warned = (http: string, metrics: string) => {
      const found: string[] = [];
      warnOfHosts({ upstreams: {}, http: { host: http }, metrics: { host: metrics } }, addresses, (pointer) => found.push(pointer));
      return found;
    };
    assert.deepEqual(warned("10.0.0.2", "fe80::2"), ["/http/host", "/metrics/host"]);
    for (const host of ["10.0.0.1", "fe80:0:0::1", "0.0.0.0", "::", "::1", "127.0.0.9", "localhost", "gateway.test"]) assert.deepEqual(warned(host, host), [], host);
  });

  it("that cannot be had are told with their section and what to do, other errors as they are", () => {
    const config: GatewayConfig = { upstreams: {}, http: { port: "80", host: "0.0.0.0" }, metrics: {} };
    const of = (code: string, section: "http" | "metrics") => {
      const fault = portFault(Object.assign(new Error("listen"), { code }), section, { file: "F", config });
      assert.ok(fault instanceof LocalError);
      return fault.message;
    };
    assert.equal(of("EADDRINUSE", "http"), "F: /http/port port 80 of 0.0.0.0 is in use; end the program that has it, or name another port (0 takes any free one) (EADDRINUSE)");
    assert.match(of("EACCES", "http"), /^F: \/http\/port port 80 of 0\.0\.0\.0 is not this user's to take/);
    assert.match(of("EADDRNOTAVAIL", "metrics"), /^F: \/metrics\/port port 0 of 127\.0\.0\.1 cannot be had/);
    const other = new Error("x");
    assert.equal(portFault(other, "http", { file: "F", config }), other);
  });
});
