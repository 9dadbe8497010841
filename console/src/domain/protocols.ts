/**
 * Protocols whose sessions Postern opens. Forms offer only these. A stored object keeps its other protocols, for example
 * after an import.
 */
export const OPENED_PROTOCOLS: readonly string[] = ['ssh'];

/** Protocols that an asset can be given: those of sessions, and WinRM for jobs on Windows hosts. */
export const ASSET_PROTOCOLS: readonly string[] = [...OPENED_PROTOCOLS, 'winrm'];
