import { useQuery } from '@tanstack/react-query';
import { Folder, Search } from 'lucide-react';
import { type ReactNode, useEffect, useState } from 'react';
import { http } from '#/lib/http/client';
import { useT } from '#/lib/i18n';
import { TextInput } from '#/ui/field';
import { Note } from '#/ui/note';
import type { ChosenNode } from './chosen-node';

const PAUSE_MS = 400;
const MOST = 30;

interface FoundNode {
  readonly id: string;
  readonly key: string;
  readonly value: string;
  readonly full_value: string;
}

interface Answer {
  readonly count: number;
  readonly results: readonly FoundNode[];
}

function useSettled(text: string): string {
  const [settled, setSettled] = useState(text);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(text), PAUSE_MS);
    return () => clearTimeout(timer);
  }, [text]);
  return settled;
}

/** A field that finds nodes by name anywhere in the tree. The results replace the tree. */
export function NodeSearch({
  api,
  onSelect,
  children,
}: {
  readonly api: string;
  readonly onSelect: (node: ChosenNode) => void;
  /** The tree, shown while the field is empty. */
  readonly children: ReactNode;
}) {
  const t = useT();
  const [text, setText] = useState('');
  const term = useSettled(text.trim());
  const isSearching = text.trim() !== '' && term !== '';
  const nodes = useQuery({
    queryKey: ['node-search', api, term],
    queryFn: () => http.get<Answer>(api, { query: { search: term, offset: 0, limit: MOST }, quiet: true }),
    enabled: isSearching,
  });
  return (
    <>
      <div className="relative m-2 mb-1 flex-none">
        <Search
          className="pointer-events-none absolute inset-y-0 left-2 my-auto size-[14px]! text-ink-3"
          aria-hidden
        />
        <TextInput
          type="search"
          aria-label={t('node-search:label')}
          placeholder={t('node-search:label')}
          value={text}
          className="pt-field-quiet pl-7!"
          onChange={(event) => setText(event.target.value)}
        />
      </div>
      {isSearching ? (
        <div role="status" className="min-h-0 grow overflow-y-auto p-1">
          {nodes.isError && <Note tone="danger">{t('node-search:unavailable')}</Note>}
          {nodes.data?.results.length === 0 && <p className="px-2 text-ink-2">{t('node-search:none')}</p>}
          <ul>
            {nodes.data?.results.map((node) => (
              <li key={node.id}>
                <button
                  type="button"
                  className="flex min-h-7 w-full items-center gap-2 rounded-2 px-2 py-1 text-left outline-offset-[-2px] hover:bg-hover"
                  onClick={() => {
                    setText('');
                    onSelect({ id: node.id, key: node.key, label: node.value, type: 'node' });
                  }}
                >
                  <Folder className="flex-none text-ink-3" aria-hidden />
                  <span className="grid min-w-0">
                    <span className="truncate">{node.value}</span>
                    <span className="truncate text-meta text-ink-3">{node.full_value}</span>
                  </span>
                </button>
              </li>
            ))}
          </ul>
          {nodes.data && nodes.data.count > MOST && (
            <p className="px-2 py-1 text-meta text-ink-3">{t('node-search:more', { count: MOST })}</p>
          )}
        </div>
      ) : (
        children
      )}
    </>
  );
}
