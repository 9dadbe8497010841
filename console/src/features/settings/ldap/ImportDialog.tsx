import { useQuery, useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { explain } from '#/lib/http/catalogue';
import { useT } from '#/lib/i18n';
import { useSession } from '#/lib/session';
import { Button } from '#/ui/button';
import { Dialog } from '#/ui/dialog';
import { Field, TextInput } from '#/ui/field';
import { Note } from '#/ui/note';
import { Select } from '#/ui/select';
import { SkeletonLines } from '#/ui/skeleton';
import { importPeople, PAGE, peopleQuery, refreshPeople } from './api';
import { PeopleList } from './PeopleList';
import { ResultNote } from './ResultNote';
import { useAttempt } from './use-attempt';

const ROOT = '00000000-0000-0000-0000-000000000000';
const DEFAULT = '00000000-0000-0000-0000-000000000002';

function Pages({
  offset,
  total,
  onMove,
}: {
  readonly offset: number;
  readonly total: number;
  readonly onMove: (offset: number) => void;
}) {
  const t = useT();
  if (total <= PAGE) return null;
  return (
    <div className="flex flex-wrap items-center gap-2">
      <Button size="sm" disabled={offset === 0} onClick={() => onMove(offset - PAGE)}>
        {t('settings:ldap.people.previous')}
      </Button>
      <Button size="sm" disabled={offset + PAGE >= total} onClick={() => onMove(offset + PAGE)}>
        {t('settings:ldap.people.next')}
      </Button>
      <span className="text-ink-3">
        {t('settings:ldap.people.of', { from: offset + 1, to: Math.min(offset + PAGE, total), total })}
      </span>
    </div>
  );
}

function People({
  search,
  chosen,
  onChange,
}: {
  readonly search: string;
  readonly chosen: ReadonlySet<string>;
  readonly onChange: (chosen: ReadonlySet<string>) => void;
}): ReactNode {
  const t = useT();
  const [offset, setOffset] = useState(0);
  const query = useQuery(peopleQuery(search, offset));
  if (query.error) return <Note tone="danger">{explain(query.error)}</Note>;
  if (query.data === undefined) return <SkeletonLines lines={5} />;
  if (query.data === null) return <Note announce>{t('settings:ldap.people.reading')}</Note>;
  if (query.data.count === 0) return <p className="text-ink-3">{t('settings:ldap.people.none')}</p>;
  return (
    <>
      <PeopleList people={query.data.results} chosen={chosen} onChange={onChange} />
      <Pages offset={offset} total={query.data.count} onMove={setOffset} />
    </>
  );
}

/** People of the directory; the chosen ones become users of an organization. */
export function ImportDialog({ onClose }: { readonly onClose: () => void }) {
  const t = useT();
  const client = useQueryClient();
  const session = useSession();
  const [search, setSearch] = useState('');
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set());
  const [organization, setOrganization] = useState(
    session.organization.id === ROOT ? DEFAULT : session.organization.id,
  );
  const { busy, result, run } = useAttempt();
  const options = session.organizations
    .filter((one) => one.id !== ROOT)
    .map((one) => ({ value: one.id, label: one.name }));
  const reload = () => client.invalidateQueries({ queryKey: ['ldap-people'] });
  const save = async () => {
    if (await run(() => importPeople([...chosen], organization))) setChosen(new Set());
    await reload();
  };
  const readAgain = async () => {
    await run(async () => {
      await refreshPeople();
      return t('settings:ldap.people.reading');
    });
    await reload();
  };
  return (
    <Dialog
      isOpen
      size="wizard"
      title={t('settings:ldap.people.title')}
      onClose={onClose}
      footer={
        <>
          <Button disabled={busy} onClick={() => void readAgain()}>
            {t('settings:ldap.people.refresh')}
          </Button>
          <Button kind="primary" busy={busy} disabled={chosen.size === 0} onClick={() => void save()}>
            {chosen.size === 0
              ? t('settings:ldap.people.import_none')
              : t('settings:ldap.people.import', { count: chosen.size })}
          </Button>
        </>
      }
    >
      <div className="grid gap-3">
        <div className="grid gap-3 sm:grid-cols-2">
          <TextInput
            type="search"
            aria-label={t('settings:ldap.people.find')}
            placeholder={t('settings:ldap.people.find')}
            value={search}
            onChange={(event) => setSearch(event.target.value)}
          />
          <Field label={t('settings:ldap.people.org')}>
            {(control) => (
              <Select
                id={control.id}
                label={t('settings:ldap.people.org')}
                options={options}
                value={organization}
                onChange={setOrganization}
              />
            )}
          </Field>
        </div>
        <ResultNote result={result} />
        <People key={search} search={search} chosen={chosen} onChange={setChosen} />
      </div>
    </Dialog>
  );
}
