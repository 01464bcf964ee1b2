// The tool that the comparisons call, and what they call it with.

export const INFO = { name: "bench", version: "1.0.0" };
export const TOOL = "get_forecast";
export const ARGUMENTS = { location: "Zürich", units: "metric", days: 3, hourly: false };
export const INPUT_SCHEMA = {
  type: "object",
  properties: { location: { type: "string" }, units: { enum: ["metric", "imperial"] }, days: { type: "integer" }, hourly: { type: "boolean" } },
  required: ["location"],
};
export const FORECAST = "Tomorrow in Zürich: cloudy in the morning, 12 to 18 degrees, light wind from the west, no rain before the evening.";
export const result = () => ({ content: [{ type: "text", text: FORECAST }] });

/** From where the `exports` of a package of test/interop point an import to. The bench is no package of its own, so its names do not resolve from here. */
export const loadInterop = (path) => import(new URL(`../interop/node_modules/${path}`, import.meta.url).href);

/** The same schema by the zod that the official SDK comes with. */
export async function inputSchemaOf() {
  const { z } = await loadInterop("zod/index.js");
  return z.object({
    location: z.string(),
    units: z.enum(["metric", "imperial"]).optional(),
    days: z.number().int().optional(),
    hourly: z.boolean().optional(),
  });
}
