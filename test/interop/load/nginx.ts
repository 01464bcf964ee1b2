// A real nginx in front of replicas, all of them on loopback.
import { fork, spawn, spawnSync, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, writeFileSync } from "node:fs";
import { connect, createServer, type AddressInfo } from "node:net";
import { join } from "node:path";
import { withLimit } from "../matrix/bounded.ts";

const START_MS = 20_000;

/** The program, wherever Debian or the PATH has it. */
export function findNginx(): string | undefined {
  return ["nginx", "/usr/sbin/nginx"].find((command) => spawnSync(command, ["-v"]).status === 0);
}

/** A port that was free a moment ago. */
export async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo; // it listens on a port
  server.close();
  await once(server, "close");
  return port;
}

export interface Replica {
  readonly pid: number | undefined;
  /** SIGKILL: nothing is said to anybody. Settles once the process is gone. */
  kill(): Promise<void>;
}

/** Settles once it listens. */
export async function startReplica(port: number, file: string): Promise<Replica> {
  const child = fork(join(import.meta.dirname, "replica.mjs"), [String(port), file], { execArgv: [], stdio: ["ignore", "ignore", "inherit", "ipc"] });
  const gone = once(child, "exit");
  await withLimit(START_MS, "the start of a replica", Promise.race([once(child, "message"), gone.then(([code]) => Promise.reject(new Error(`a replica ended with code ${code}`)))]));
  return {
    pid: child.pid,
    async kill() {
      child.kill("SIGKILL");
      await gone;
    },
  };
}

export interface Proxy {
  readonly origin: string;
  stop(): Promise<void>;
}

/** nginx in a folder of its own, with this in its `http` block, which listens on the port that it is told. */
export async function startNginx(command: string, folder: string, http: (port: number) => string): Promise<Proxy> {
  const port = await freePort();
  mkdirSync(join(folder, "logs"), { recursive: true });
  const file = join(folder, "nginx.conf");
  writeFileSync(file, configuration(folder, http(port)));
  const child = spawn(command, ["-p", folder, "-c", file, "-e", join(folder, "logs", "error.log"), "-g", "daemon off;"], { stdio: ["ignore", "inherit", "inherit"] });
  await withLimit(START_MS, "the start of nginx", listening(child, port));
  return {
    origin: `http://127.0.0.1:${port}`,
    async stop() {
      if (child.exitCode !== null) return;
      child.kill("SIGTERM");
      await once(child, "exit");
    },
  };
}

function configuration(folder: string, http: string): string {
  const temporary = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"].map((name) => `  ${name}_temp_path ${join(folder, name)};`);
  return `
# As whoever runs the test: the workers need its folder.
${process.getuid?.() === 0 ? "user root;" : ""}
worker_processes 1;
pid ${join(folder, "nginx.pid")};
events { worker_connections 1024; }
http {
${temporary.join("\n")}
  access_log off;
${http}
}
`;
}

async function listening(child: ChildProcess, port: number): Promise<void> {
  for (;;) {
    if (child.exitCode !== null) throw new Error(`nginx ended with code ${child.exitCode}`);
    const socket = connect(port, "127.0.0.1");
    const connected = await once(socket, "connect").then(() => true, () => false);
    socket.destroy();
    if (connected) return;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}
