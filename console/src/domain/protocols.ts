/**
 * Protocols whose sessions Postern opens. Forms offer only these. A stored object keeps its other protocols, for example
 * after an import.
 */
export const OPENED_PROTOCOLS: readonly string[] = ['ssh'];

/**
 * Protocols for jobs on Windows hosts: WinRM carries them, RDP lets them use accounts of system users with RDP. No
 * sessions are opened with these.
 */
export const JOB_PROTOCOLS = ['winrm', 'rdp'] as const;

/** Protocols that an asset can be given. */
export const ASSET_PROTOCOLS: readonly string[] = [...OPENED_PROTOCOLS, ...JOB_PROTOCOLS];
