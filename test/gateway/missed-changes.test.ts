// src/gateway: changes that nobody could be told of, as the audit log could not be written.
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { createChain } from "../../src/core/chain/chain.ts";
import { validator } from "../../src/core/interceptor/define.ts";
import { settle } from "../support/fake-host.ts";
import { behind, clientOf, gatewayFor, until } from "./kit.ts";

describe("a change that was dropped as it could not be recorded", () => {
  for (const era of ["handshake", "stateless"] as const) {
    it(`is told once something is recorded again (${era})`, async () => {
      const up = behind("memory", "handshake");
      const chain = createChain();
      chain.add(validator({ name: "look", hooks: [{ events: ["*"], phase: "request" }, { events: ["*"], phase: "response" }] }, () => true));
      let broken = false;
      const record = () => (broken ? Promise.reject(new Error("disk full")) : undefined);
      const gateway = await gatewayFor(up.target, { chain: () => chain, record, policy: { onRecordFailure: "block" } });
      const heard: string[] = [];
      const client = await clientOf(gateway, "memory", era, (it) => void it.onListChanged("tools", () => heard.push("tools")));
      await client.callTool({ name: "echo", arguments: { text: "a" } });
      await settle();
      const before = heard.length;
      broken = true;
      up.server.tool({ name: "more", inputSchema: { type: "object" } }, () => "more");
      await settle();
      assert.equal(heard.length, before);
      broken = false;
      await client.callTool({ name: "echo", arguments: { text: "a" } });
      await until(() => heard.length > before);
      await settle();
      assert.equal(heard.length, before + 1);
      // Nothing is missed any more.
      await client.callTool({ name: "echo", arguments: { text: "a" } });
      await settle();
      assert.equal(heard.length, before + 1);
      await client.close();
      await gateway.close();
      await up.close();
    });
  }
});
