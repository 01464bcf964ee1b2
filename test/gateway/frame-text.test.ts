import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { memoryPair } from "../../src/core/transport/memory.ts";
import type { Gateway } from "../../src/gateway/plan.ts";
import { gatewayFor } from "./kit.ts";
import { HANDSHAKE, metaOf, opened, rawEnd, rawUpstream, STATELESS, type RawEnd } from "./raw.ts";

// src/gateway/frame-text.ts, through whole gateways: numbers that a double cannot hold, `1.10`, escapes and key order survive what the gateway changes.

const EXACT = '{"id":1915883588174806058,"price":1.10,"s":"\\u00e9\\/","b":1,"a":2}';

function face(gateway: Gateway): RawEnd {
  const [near, far] = memoryPair();
  gateway.serve("up", far);
  return rawEnd(near);
}

describe("the text of what nobody changes", () => {
  it("is the same from a session to a handshake server, and back", async () => {
    const up = rawUpstream();
    const gateway = await gatewayFor(up.target);
    const client = face(gateway);
    const [end] = await Promise.all([up.greet(HANDSHAKE), opened(client)]);
    await client.send(`{"jsonrpc":"2.0", "method":"tools/call","id":"x","params":{"name":"t","arguments":${EXACT}}}`);
    assert.equal(await end.next(), `{"jsonrpc":"2.0", "method":"tools/call","id":3,"params":{"name":"t","arguments":${EXACT}}}`);
    await end.send(`{"result":{"content":[],"structuredContent":${EXACT}},"id":3,"jsonrpc":"2.0"}`);
    assert.equal(await client.next(), `{"result":{"content":[],"structuredContent":${EXACT}},"id":"x","jsonrpc":"2.0"}`);
    await gateway.close();
  });

  it("is kept from era to era, in both directions", async () => {
    const up = rawUpstream();
    const gateway = await gatewayFor(up.target, {}, { era: "stateless" });
    const client = face(gateway);
    const [end] = await Promise.all([up.greet(STATELESS), opened(client)]);
    await client.send(`{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"t","arguments":${EXACT}}}`);
    const sent = String(await end.next());
    assert.ok(sent.includes(`"arguments":${EXACT}`) && sent.includes(STATELESS), sent);
    const { id } = JSON.parse(sent) as { id: number };
    await end.send(`{"jsonrpc":"2.0","id":${id},"result":{"resultType":"complete","structuredContent":${EXACT},"content":[]}}`);
    assert.equal(await client.next(), `{"jsonrpc":"2.0","id":7,"result":{"structuredContent":${EXACT},"content":[]}}`);
    await gateway.close();

    const old = rawUpstream();
    const other = await gatewayFor(old.target, {}, { era: "handshake" });
    const modern = face(other);
    await modern.send(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"_meta":${metaOf({}, { "com.example/x": 1 })},"name":"t","arguments":${EXACT}}}`);
    const server = await old.greet(HANDSHAKE);
    assert.equal(await server.next(), `{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"_meta":{"com.example/x":1},"name":"t","arguments":${EXACT}}}`);
    await server.send(`{"jsonrpc":"2.0","id":2,"result":{"content":[],"structuredContent":${EXACT}}}`);
    const answer = String(await modern.next());
    assert.ok(answer.includes(`"structuredContent":${EXACT}`) && answer.includes('"resultType":"complete"'), answer);
    await other.close();
  });

  it("is kept where a question becomes a result, and an answer a request", async () => {
    const up = rawUpstream();
    const gateway = await gatewayFor(up.target, {}, { era: "handshake" });
    const client = face(gateway);
    const meta = metaOf({ elicitation: {} });
    await client.send(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"t","_meta":${meta}}}`);
    const server = await up.greet(HANDSHAKE);
    const { id } = await server.message();
    await server.send(`{"jsonrpc":"2.0","id":"q","method":"elicitation/create","params":{"message":"?","requestedSchema":{"type":"object","properties":{}},"x":${EXACT}}}`);
    const asked = String(await client.next());
    assert.ok(asked.includes(`"x":${EXACT}`), asked);
    const { requestState } = (JSON.parse(asked) as { result: { requestState: string } }).result;
    await client.send(
      `{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"t","inputResponses":{"ask-1":{"action":"accept","content":${EXACT}}},"requestState":${JSON.stringify(requestState)},"_meta":${meta}}}`,
    );
    assert.equal(await server.next(), `{"jsonrpc":"2.0","id":"q","result":{"action":"accept","content":${EXACT}}}`);
    await server.send(`{"jsonrpc":"2.0","id":${String(id)},"result":{"content":[]}}`);
    assert.match(String(await client.next()), /"id":2,.*"complete"/);
    await gateway.close();
  });

  it("is kept where a result that asks becomes a question, and the answer a retry", async () => {
    const up = rawUpstream();
    const gateway = await gatewayFor(up.target, {}, { era: "stateless" });
    const client = face(gateway);
    const [server] = await Promise.all([up.greet(STATELESS), opened(client, { elicitation: {} })]);
    await client.send(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"t","arguments":${EXACT}}}`);
    const { id } = await server.message();
    const question = `{"message":"?","requestedSchema":{"type":"object","properties":{}},"x":${EXACT}}`;
    await server.send(`{"jsonrpc":"2.0","id":${String(id)},"result":{"resultType":"input_required","inputRequests":{"a/b~":{"method":"elicitation/create","params":${question}}},"requestState":"s"}}`);
    const asked = String(await client.next());
    assert.ok(asked.includes(`"params":${question}`), asked);
    await client.send(`{"jsonrpc":"2.0","id":${String((JSON.parse(asked) as { id: number }).id)},"result":{"action":"accept","content":${EXACT}}}`);
    const retry = String(await server.next());
    assert.ok(retry.includes(`"arguments":${EXACT}`), retry);
    assert.ok(retry.includes(`"inputResponses":{"a/b~":{"action":"accept","content":${EXACT}}},"requestState":"s"`), retry);
    const again = (JSON.parse(retry) as { id: number }).id;
    assert.notEqual(again, id);
    await server.send({ jsonrpc: "2.0", id: again, result: { resultType: "complete", content: [] } });
    assert.equal(await client.next(), '{"jsonrpc":"2.0","id":1,"result":{"content":[]}}');
    await gateway.close();
  });
});
