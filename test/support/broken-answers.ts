// Everything that names a request in flight and is no answer to it, and what looks like that and is not.

/** As text of one line, by the request's id. */
export type Broken = (id: unknown) => string;

const whole = (id: unknown, more: string) => `{"jsonrpc":"2.0","id":${JSON.stringify(id)}${more}}`;

/** Each ends its request. */
export const BROKEN_ANSWERS: Readonly<Record<string, Broken>> = {
  bare: (id) => whole(id, ""),
  "bare, of another version": (id) => `{"jsonrpc":"1.0","id":${JSON.stringify(id)}}`,
  "a strange member alone": (id) => whole(id, ',"unguarded":1'),
  "members twice": (id) => whole(id, ',"x":1,"x":2'),
  "result and error": (id) => whole(id, ',"result":{},"error":{"code":1,"message":"unguarded"}'),
  "a result of text": (id) => whole(id, ',"result":"unguarded"'),
  "a result of null": (id) => whole(id, ',"result":null'),
  "a list for a result": (id) => whole(id, ',"result":[]'),
  "an error without a code": (id) => whole(id, ',"error":{"message":"unguarded"}'),
  "an error without a message": (id) => whole(id, ',"error":{"code":1}'),
  "an error of text": (id) => whole(id, ',"error":"unguarded"'),
  "an error whose code is text": (id) => whole(id, ',"error":{"code":"1","message":"unguarded"}'),
  "no version": (id) => `{"id":${JSON.stringify(id)},"result":{}}`,
  "version 1.0": (id) => `{"jsonrpc":"1.0","id":${JSON.stringify(id)},"result":{}}`,
  "a result twice": (id) => whole(id, ',"result":{},"result":{}'),
  "a strange member beside a result": (id) => whole(id, ',"result":{},"unguarded":1'),
  "a result that is misspelt": (id) => whole(id, ',"Result":{}'),
  "a method beside a result": (id) => whole(id, ',"method":"ping","result":{}'),
  "a method and params beside an error": (id) => whole(id, ',"method":"ping","params":{},"error":{"code":1,"message":"unguarded"}'),
  "a batch with its answer": (id) => `[${whole(id, ',"result":{}')}]`,
  "a batch with others": (id) => `[1,{"jsonrpc":"2.0","method":"x"},${whole(id, "")}]`,
};

/** Text that is no JSON at all; where it comes as an object there is no such thing. */
export const CUT_ANSWERS: Readonly<Record<string, Broken>> = {
  "JSON that is cut": (id) => whole(id, ',"result":{"unguarded":[1').slice(0, -1),
  "JSON with a comma too many": (id) => whole(id, ',"result":{},'),
};

/** None of these is certain to be about the request. */
export const NO_ANSWERS: Readonly<Record<string, Broken>> = {
  "a record of a log": (id) => `{"level":"info","id":${JSON.stringify(id)}}`,
  "the id as another type": (id) => whole(typeof id === "number" ? String(id) : 0, ""),
  "an id within": () => '{"jsonrpc":"2.0","unguarded":{"id":1}}',
  "two ids": (id) => `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"id":1}`,
  "a broken request": (id) => whole(id, ',"method":5'),
  "params without a method": (id) => whole(id, ',"params":{}'),
  "a batch of requests": (id) => `[${whole(id, ',"method":"ping"')}]`,
  "a batch that is no JSON": (id) => `[${whole(id, ',"result":{}')}`,
  "an id in a text": (id) => JSON.stringify(whole(id, ',"result":{}')),
};
