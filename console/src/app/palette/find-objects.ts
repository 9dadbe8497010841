import { http } from '#/lib/http/client';
import type { Finder, RouteRecord } from '#/lib/routes';
import type { Icon } from '#/ui/icon';
import type { Command } from './commands';

/** Objects of one list in the palette (`limit=` of the list endpoint). */
export const OBJECTS_EACH = 5;

export interface Source {
  readonly record: RouteRecord;
  readonly find: Finder;
  readonly icon: Icon;
  /** What the list holds, e.g. “Assets”. */
  readonly kind: string;
}

interface Found {
  readonly results: readonly Readonly<Record<string, unknown>>[];
}

function text(value: unknown): string {
  return typeof value === 'string' || typeof value === 'number' ? String(value) : '';
}

async function ask(source: Source, words: string, signal: AbortSignal): Promise<Command[]> {
  const { find, icon, kind, record } = source;
  const { results } = await http.get<Found>(find.api, {
    query: { search: words, limit: OBJECTS_EACH, offset: 0 },
    quiet: true,
    signal,
  });
  return results.map((row) => {
    const id = text(row['id']);
    const detail = find.detail === undefined ? '' : text(row[find.detail]);
    return {
      id: `${record.name}-${id}`,
      group: 'objects',
      label: text(row[find.name]) || id,
      detail: [kind, detail].filter(Boolean).join(' · '),
      icon,
      to: find.path.replace('$id', encodeURIComponent(id)),
    };
  });
}

/** Objects of all sources by name. A source that fails is left out; when all fail, so does the search. */
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
