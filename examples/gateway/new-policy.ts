// A policy that is being tried out: no secrets in arguments, no card numbers in results.
import { allow, deny, validator } from "mcp-interceptors";

const SECRET = /\b(?:sk-[A-Za-z0-9]{20,64}|ghp_[A-Za-z0-9]{36}|AKIA[A-Z0-9]{16})\b/;
const CARD = /\b\d{4}([ -]?)\d{4}\1\d{4}\1\d{4}\b/;

export const noSecrets = validator(
  { name: "no-secrets", hooks: [{ events: ["tools/call"], phase: "request" }] },
  ({ payload }) => (SECRET.test(JSON.stringify(payload.arguments ?? {})) ? deny("an argument holds a secret", { path: "/arguments" }) : allow()),
);

export const noCardNumbers = validator(
  { name: "no-card-numbers", hooks: [{ events: ["tools/call"], phase: "response" }] },
  ({ payload }) => (CARD.test(JSON.stringify(payload)) ? deny("the result holds a card number") : allow()),
);
