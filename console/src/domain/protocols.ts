/**
 * Protocols whose sessions Postern opens. Forms offer only these. A stored object keeps its other protocols, for example
 * after an import.
 */
export const OPENED_PROTOCOLS: readonly string[] = ['ssh'];
