/** The version of this package, as in its manifest; a test compares them. */
export const VERSION = "0.1.0";
