/**
 * Whether a name is one of the patterns: an exact name, or `prefix*`, which stands for every name that starts with the prefix. Code points
 * are compared as they are: no case folding, no normalisation.
 */
export declare function compilePatterns(patterns: readonly string[]): (name: string) => boolean;
