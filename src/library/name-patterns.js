/**
 * Whether a name is one of the patterns: an exact name, or `prefix*`, which stands for every name that starts with the prefix. Code points
 * are compared as they are: no case folding, no normalisation.
 */
export function compilePatterns(patterns) {
    const exact = new Set(patterns.filter((pattern) => !pattern.endsWith("*")));
    const prefixes = patterns.filter((pattern) => pattern.endsWith("*")).map((pattern) => pattern.slice(0, -1));
    return (name) => exact.has(name) || prefixes.some((prefix) => name.startsWith(prefix));
}
