/** The languages of the server, by their names in VS Code. */
export const LANGUAGES: readonly string[] = ["skriptnd", "nnef"];
