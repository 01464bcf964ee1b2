// The policy for `wrap`, which has one connection.
import { createPolicy } from "./policy.mjs";

export const policy = createPolicy();
