import { useT } from '#/lib/i18n';
import { Checkbox } from '#/ui/choice';
import { Status } from '#/ui/status';
import type { DirectoryPerson } from './api';

/** Whether the person can be chosen: imported people may join another organization. */
export function canChoose(person: DirectoryPerson): boolean {
  return person.existing || !person.is_taken;
}

function Mark({ person }: { readonly person: DirectoryPerson }) {
  const t = useT();
  if (person.existing) return <Status tone="ok">{t('settings:ldap.people.existing')}</Status>;
  if (person.is_taken) return <Status tone="warn">{t('settings:ldap.people.taken')}</Status>;
  if (!person.is_enabled) return <Status tone="unknown">{t('settings:ldap.people.disabled')}</Status>;
  return null;
}

/** A page of people with a checkbox each. */
export function PeopleList({
  people,
  chosen,
  onChange,
}: {
  readonly people: readonly DirectoryPerson[];
  readonly chosen: ReadonlySet<string>;
  readonly onChange: (chosen: ReadonlySet<string>) => void;
}) {
  const t = useT();
  const usable = people.filter(canChoose).map((person) => person.username);
  const count = usable.filter((name) => chosen.has(name)).length;
  const set = (names: readonly string[], isChosen: boolean) => {
    const next = new Set(chosen);
    for (const name of names) {
      if (isChosen) next.add(name);
      else next.delete(name);
    }
    onChange(next);
  };
  return (
    <>
      <Checkbox
        checked={count > 0 && count === usable.length}
        indeterminate={count > 0 && count < usable.length}
        disabled={usable.length === 0}
        onChange={(event) => set(usable, event.target.checked)}
      >
        {t('settings:ldap.people.all')}
      </Checkbox>
      <ul className="settings-parts">
        {people.map((person) => (
          <li key={person.id}>
            <Checkbox
              checked={chosen.has(person.username)}
              disabled={!canChoose(person)}
              onChange={(event) => set([person.username], event.target.checked)}
            >
              <span className="font-mono [overflow-wrap:anywhere]">{person.username}</span>
            </Checkbox>
            <span className="[overflow-wrap:anywhere]">{person.name}</span>
            <span className="text-ink-3 [overflow-wrap:anywhere]">{person.email}</span>
            <span className="ml-auto">
              <Mark person={person} />
            </span>
          </li>
        ))}
      </ul>
    </>
  );
}
