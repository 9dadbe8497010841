import { Search, Server, User } from 'lucide-react';
import { useId, useState } from 'react';
import { MOST_TYPED, textProblem } from '#/domain/recording-hits/hits';
import { useT } from '#/lib/i18n';
import { DateRange } from '#/resource/list/DateRange';
import { Button } from '#/ui/button';
import { TextInput } from '#/ui/field';
import { Select } from '#/ui/select';
import { type Party, PartySelect } from './PartySelect';
import type { SearchAddress } from './use-search-address';

const PERSON: Party = { name: 'user', id: 'user_id', icon: User };
const ASSET: Party = { name: 'asset', id: 'asset_id', icon: Server };
const ANY_KIND = 'any';
const FILTER = 'w-48 max-sm:w-full';

function Filters({ address }: { readonly address: SearchAddress }) {
  const t = useT();
  const { conditions, dates, setFilter } = address;
  return (
    <div role="group" aria-label={t('recording-hits:filters')} className="flex flex-wrap items-start gap-2">
      <div className={FILTER}>
        <PartySelect
          party={PERSON}
          label={t('recording-hits:person')}
          value={conditions.user_id ?? ''}
          onChange={(id) => setFilter('user_id', id)}
        />
      </div>
      <div className={FILTER}>
        <PartySelect
          party={ASSET}
          label={t('recording-hits:asset')}
          value={conditions.asset_id ?? ''}
          onChange={(id) => setFilter('asset_id', id)}
        />
      </div>
      <Select
        label={t('recording-hits:where')}
        className={FILTER}
        quiet
        options={[
          { value: ANY_KIND, label: t('recording-hits:anywhere') },
          { value: 'screen', label: t('recording-hits:kind.screen') },
          { value: 'command', label: t('recording-hits:kind.command') },
          { value: 'file', label: t('recording-hits:kind.file') },
        ]}
        value={conditions.kind ?? ANY_KIND}
        onChange={(kind) => setFilter('kind', kind === ANY_KIND ? '' : kind)}
      />
      <DateRange range={dates} />
    </div>
  );
}

/** The typed text; it follows the address, which the back button changes. */
function useDraft(text: string) {
  const [draft, setDraft] = useState(text);
  const [known, setKnown] = useState(text);
  if (known !== text) {
    setKnown(text);
    setDraft(text);
  }
  return [draft, setDraft] as const;
}

/** Search text, submitted with Enter, and the filters below it. */
export function SearchForm({
  address,
  busy,
  onAgain,
}: {
  readonly address: SearchAddress;
  readonly busy: boolean;
  /** The same text was submitted again. */
  readonly onAgain: () => void;
}) {
  const t = useT();
  const id = useId();
  const { text } = address.conditions;
  const [draft, setDraft] = useDraft(text);
  const [isRefused, setRefused] = useState(false);
  const wanted = draft.trim();
  const problem = wanted === '' ? null : textProblem(wanted);
  const submit = (): void => {
    setRefused(problem !== null);
    if (problem !== null) return;
    if (wanted === text) onAgain();
    else address.search(wanted);
  };
  return (
    <form
      role="search"
      aria-label={t('nav:search_recordings')}
      className="grid gap-2"
      onSubmit={(event) => {
        event.preventDefault();
        submit();
      }}
    >
      <div className="flex gap-2">
        <TextInput
          type="search"
          name="text"
          // Sent by Enter, which a search field of a phone's keyboard names.
          enterKeyHint="search"
          aria-label={t('recording-hits:text')}
          aria-invalid={isRefused && problem !== null ? true : undefined}
          aria-describedby={isRefused && problem !== null ? id : undefined}
          placeholder={t('recording-hits:text')}
          maxLength={MOST_TYPED}
          value={draft}
          className="min-w-0 grow"
          onChange={(event) => setDraft(event.target.value)}
        />
        <Button type="submit" kind="primary" icon={Search} busy={busy}>
          {t('recording-hits:search')}
        </Button>
      </div>
      {isRefused && problem !== null && (
        <p id={id} role="alert" className="text-meta text-danger">
          {problem === 'short' ? t('recording-hits:too_short') : t('recording-hits:too_long')}
        </p>
      )}
      <Filters address={address} />
    </form>
  );
}
