import { SquareTerminal } from 'lucide-react';
import { http } from '#/lib/http/client';
import type { Finder, RouteRecord } from '#/lib/routes';
import type { Icon } from '#/ui/icon';
import type { Command } from './commands';

/** Number of objects shown of each list (`limit=` of the list endpoint). */
export const OBJECTS_EACH = 5;

export interface Source {
  readonly record: RouteRecord;
  readonly find: Finder;
  readonly icon: Icon;
  /** What the list holds, e.g. “Assets”. */
  readonly kind: string;
  /** Label of the action that opens a session with an object of this name; null when the list has no such action. */
  readonly connect: ((name: string) => string) | null;
}

interface SearchResults {
  readonly results: readonly Readonly<Record<string, unknown>>[];
}

function text(value: unknown): string {
  return typeof value === 'string' || typeof value === 'number' ? String(value) : '';
}

async function rowsOf(
  { api, query: place }: Pick<Finder, 'api' | 'query'>,
  words: string,
  signal: AbortSignal,
): Promise<SearchResults['results']> {
  const query = { ...place, search: words, limit: OBJECTS_EACH, offset: 0 };
  return (await http.get<SearchResults>(api, { query, quiet: true, signal })).results;
}

/**
 * Ids of the objects that a session can be opened with. They come from the list of granted objects, not from the list
 * of visible objects.
 */
async function connectable(
  { find, connect }: Source,
  words: string,
  signal: AbortSignal,
): Promise<ReadonlySet<string>> {
  if (connect === null || find.connect === undefined) return new Set();
  const rows = await rowsOf(find.connect, words, signal).catch(() => []);
  return new Set(rows.filter((row) => row['is_active'] !== false).map((row) => text(row['id'])));
}

async function ask(source: Source, words: string, signal: AbortSignal): Promise<Command[]> {
  const { find, icon, kind, record, connect } = source;
  const [rows, open] = await Promise.all([rowsOf(find, words, signal), connectable(source, words, signal)]);
  return rows.flatMap((row) => {
    if (find.opens !== undefined && row[find.opens] !== true) return [];
    const id = text(row['id']);
    const label = text(row[find.name]) || id;
    const detail = find.detail === undefined ? '' : text(row[find.detail]);
    const at = (path: string) => path.replace('$id', encodeURIComponent(id));
    const object: Command = {
      id: `${record.name}-${id}`,
      group: 'objects',
      label,
      detail: [kind, detail].filter(Boolean).join(' · '),
      icon,
      to: at(find.path),
    };
    if (connect === null || find.connect === undefined || !open.has(id)) return [object];
    const session: Command = {
      id: `${object.id}-connect`,
      group: 'actions',
      label: connect(label),
      icon: SquareTerminal,
      to: at(find.connect.path),
    };
    return [object, session];
  });
}

/** Searches all sources by name. A source that fails is left out. Rejects only when every source fails. */
export async function findObjects(
  sources: readonly Source[],
  words: string,
  signal: AbortSignal,
): Promise<Command[]> {
  const answers = await Promise.allSettled(sources.map((source) => ask(source, words, signal)));
  const failures = answers.filter((answer) => answer.status === 'rejected');
  if (failures.length > 0 && failures.length === answers.length) throw failures[0]?.reason;
  return answers.flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []));
}
