/** What the proxy answers: `contracts/files.py` of the server, whose docstrings say more. */

export type FileKind = 'file' | 'folder' | 'link' | 'other';

/** `text` is for the eye only; `id` is the name itself. */
export interface Name {
  readonly text: string;
  readonly id: string;
}

/** A line of a folder. What the host does not state is null or missing. */
export interface Entry {
  readonly name: Name;
  readonly kind: FileKind;
  /** Bytes. */
  readonly size?: number | null;
  /** Seconds since 1970. */
  readonly modified?: number | null;
  /** Permission bits. */
  readonly mode?: number | null;
  readonly owner?: string;
  readonly group?: string;
  /** Of a link: what it leads to. */
  readonly leads_to?: FileKind | null;
}

export interface Place {
  readonly path: readonly Name[];
  /** Number of the first names that make the folder above which nothing may be reached. */
  readonly top: number;
  /** Room in bytes. */
  readonly free?: number | null;
}

/** Why an operation failed, as the body of a refusal, and at the end of a list. */
export interface Problem {
  readonly code: string;
  readonly detail: string;
  readonly offset?: number | null;
}

export interface EndOfList {
  readonly count: number;
  readonly problem?: Problem | null;
}

export interface Deleted {
  readonly so_far: number;
}

export interface TextFile {
  readonly text: string;
  readonly charset: string;
  readonly etag: string;
  readonly is_writable: boolean;
}

export interface BeginUpload {
  readonly path: string;
  readonly size: number;
  /** Time of the local file, in seconds. */
  readonly modified: number;
  readonly replace: boolean;
  readonly fresh: boolean;
}

export interface UploadState {
  readonly id: string;
  readonly offset: number;
  readonly slice_bytes: number;
  /** Hash of the last bytes before `offset`, when an upload continues. */
  readonly tail_sha256?: string;
}

export interface UploadEnd {
  readonly entry: Entry;
  readonly sha256: string;
  readonly is_atomic: boolean;
}

export const MAX_TEXT_BYTES = 1024 * 1024;
export const MAX_PICTURE_BYTES = 20 * 1024 * 1024;
/** How many of the last bytes of an unfinished upload `tail_sha256` covers. */
export const CHECKED_TAIL_BYTES = 64 * 1024;

const UPLOAD = 2;
const DOWNLOAD = 4;

/** What the permissions of a session allow; `actions` are the bits of the server's `Actions`. */
export interface Rights {
  readonly upload: boolean;
  readonly download: boolean;
}

export function rightsOf(actions: number): Rights {
  return { upload: (actions & UPLOAD) !== 0, download: (actions & DOWNLOAD) !== 0 };
}
