// Messages of any size: rows of small members, as a table that a tool is called with, since one long text would be copied for nothing.
export const METHOD = "tools/call";

const row = (id) => ({ id, name: `Widget number ${id}`, status: id % 3 === 0 ? "active" : "gone", count: (id * 84) % 1_000, ratio: id / 8, tags: ["red", "small"] });

/** Params whose JSON text has about this many bytes, never more. */
export function paramsOf(bytes) {
  const params = { name: "import_rows", arguments: { rows: [] } };
  let left = bytes - JSON.stringify(params).length;
  for (let id = 1; ; id++) {
    const next = row(id);
    left -= JSON.stringify(next).length + 1;
    if (left < 0) return params;
    params.arguments.rows.push(next);
  }
}
