// The program in a worker of workerd, whose command `test` calls `test`.
import { measure } from "./program.ts";

export default {
  async test(_controller: unknown, { INPUTS }: { INPUTS: string }): Promise<void> {
    console.log(await measure(INPUTS));
  },
};
