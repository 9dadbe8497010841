import type { Entry, FileKind, Name, Place } from './contract';

/** A path as the proxy reads it: the ids of its names; empty for the root of the host. */
export function pathOf(names: readonly Name[]): string {
  return names.map((name) => name.id).join('/');
}

export function inFolder(folder: string, name: Name): string {
  return folder === '' ? name.id : `${folder}/${name.id}`;
}

/** The path of the folder above; null where nothing above may be reached. */
export function above({ path, top }: Place): string | null {
  return path.length <= top ? null : pathOf(path.slice(0, -1));
}

export interface Crumb {
  readonly path: string;
  /** Null for the root of the host. */
  readonly name: Name | null;
}

/** The folders from the topmost one that may be reached down to this one. */
export function crumbsOf({ path, top }: Place): readonly Crumb[] {
  return Array.from({ length: path.length - top + 1 }, (_, index) => {
    const names = path.slice(0, top + index);
    return { path: pathOf(names), name: names.at(-1) ?? null };
  });
}

/** A folder, or a link that leads to one. */
export function isFolder(entry: Entry): boolean {
  return entry.kind === 'folder' || (entry.kind === 'link' && entry.leads_to === 'folder');
}

/** A file, or a link that leads to one: what can be read and downloaded by itself. */
export function isFile(entry: Entry): boolean {
  return entry.kind === 'file' || (entry.kind === 'link' && entry.leads_to === 'file');
}

const LETTER: Record<FileKind, string> = { file: '-', folder: 'd', link: 'l', other: '?' };
const BITS = 'rwxrwxrwx';

/** `drwxr-x---`. Set-user, set-group and sticky are in the octal number only. */
export function modeText({ kind, mode }: Entry): string {
  if (mode === null || mode === undefined) return '';
  const bits = [...BITS].map((letter, at) => ((mode >> (8 - at)) & 1 ? letter : '-'));
  return LETTER[kind] + bits.join('');
}

export function octal(mode: number): string {
  return mode.toString(8).padStart(3, '0');
}

/** Permission bits of an octal number of three or four digits; null for anything else. */
export function readOctal(text: string): number | null {
  return /^[0-7]{3,4}$/.test(text.trim()) ? Number.parseInt(text.trim(), 8) : null;
}

const PICTURE = /\.(?:png|jpe?g|gif|webp|avif)$/i;

export function isPicture(entry: Entry): boolean {
  return isFile(entry) && PICTURE.test(entry.name.text);
}

/** `report.pdf`, 2 → `report (2).pdf`; a leading dot begins no extension. */
export function numbered(name: string, number: number): string {
  const dot = name.lastIndexOf('.');
  return dot <= 0 ? `${name} (${number})` : `${name.slice(0, dot)} (${number})${name.slice(dot)}`;
}
