import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useId, useState } from 'react';
import { http } from '#/lib/http/client';
import { useSession } from '#/lib/session';
import type { Icon } from '#/ui/icon';
import { Picker, type PickerOption } from '#/ui/picker';
import { visible } from '#/ui/visible-text';
import type { SessionRow } from '../api';

const API = 'terminal/sessions/';
/** Newest sessions in which people and assets are looked for: one person has many sessions. */
const SESSIONS_READ = 100;
const NOTHING = () => undefined;

/** People or assets, as sessions name them. */
export interface Party {
  readonly name: 'user' | 'asset';
  readonly id: 'user_id' | 'asset_id';
  readonly icon: Icon;
}

interface Page {
  readonly results: readonly Pick<SessionRow, 'user' | 'user_id' | 'asset' | 'asset_id'>[];
}

/** Each person or asset of these sessions once. */
function optionsOf(page: Page | undefined, party: Party): readonly PickerOption[] {
  const labels = new Map<string, string>();
  for (const row of page?.results ?? []) {
    const id = row[party.id];
    if (id && !labels.has(id)) labels.set(id, visible(row[party.name]));
  }
  return [...labels].map(([id, label]) => ({ id, label }));
}

/** Sessions that match; auditors may read these, but not the lists of people and assets. */
function useSessionsOf(query: Readonly<Record<string, string>>, enabled: boolean) {
  return useQuery({
    queryKey: ['parties', useSession().organization.id, query],
    enabled,
    placeholderData: keepPreviousData,
    queryFn: ({ signal }) =>
      http.get<Page>(API, {
        query: { ...query, order: '-date_start', limit: SESSIONS_READ, offset: 0 },
        signal,
        quiet: true,
      }),
  });
}

/** Choice of a person or an asset among those that have sessions, also when they were deleted since. */
export function PartySelect({
  party,
  label,
  value,
  onChange,
}: {
  readonly party: Party;
  readonly label: string;
  readonly value: string;
  readonly onChange: (id: string) => void;
}) {
  const id = useId();
  const [open, setOpen] = useState(false);
  const [text, setText] = useState('');
  const wanted = text.trim();
  const found = useSessionsOf(wanted === '' ? {} : { search: wanted }, open);
  const chosen = useSessionsOf({ [party.id]: value }, value !== '');
  const options = optionsOf(found.data, party).filter((option) =>
    option.label.toLowerCase().includes(wanted.toLowerCase()),
  );
  const own = [...optionsOf(chosen.data, party), ...options].find((option) => option.id === value);
  return (
    <Picker
      control={{ id }}
      label={label}
      placeholder={label}
      // A chip, which can be removed; choosing another replaces it.
      multiple
      chosen={value === '' ? [] : [own ?? { id: value, label: chosen.isFetching ? '…' : value }]}
      onChange={(next) => onChange(next.at(-1)?.id ?? '')}
      options={options}
      total={options.length}
      state={found.isError ? 'failed' : found.isFetching ? 'loading' : 'ready'}
      onSearch={setText}
      onOpenChange={setOpen}
      onNearEnd={NOTHING}
      icon={party.icon}
    />
  );
}
