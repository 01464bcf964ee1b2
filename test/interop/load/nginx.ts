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
  readonly url: string;
  stop(): Promise<void>;
}

/** nginx with what its own documentation says for streams and keep-alive; who gets a request that was not sent yet, and for how long a replica counts as down, is its default or shorter. */
export async function startNginx(command: string, folder: string, upstreams: readonly number[]): Promise<Proxy> {
  const port = await freePort();
  mkdirSync(join(folder, "logs"), { recursive: true });
  const file = join(folder, "nginx.conf");
  writeFileSync(file, configuration(folder, port, upstreams));
  const child = spawn(command, ["-p", folder, "-c", file, "-e", join(folder, "logs", "error.log"), "-g", "daemon off;"], { stdio: ["ignore", "inherit", "inherit"] });
  await withLimit(START_MS, "the start of nginx", listening(child, port));
  return {
    url: `http://127.0.0.1:${port}/mcp`,
    async stop() {
      if (child.exitCode !== null) return;
      child.kill("SIGTERM");
      await once(child, "exit");
    },
  };
}

function configuration(folder: string, port: number, upstreams: readonly number[]): string {
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
  upstream replicas {
${upstreams.map((upstream) => `    server 127.0.0.1:${upstream} max_fails=1 fail_timeout=1s;`).join("\n")}
    keepalive 32;
  }
  server {
    listen 127.0.0.1:${port};
    location /mcp {
      proxy_pass http://replicas;
      proxy_http_version 1.1;
      proxy_set_header Connection "";
      proxy_set_header Host $http_host;
      proxy_buffering off;
    }
  }
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
