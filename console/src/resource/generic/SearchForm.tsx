import { Search } from 'lucide-react';
import { useState } from 'react';
import { useT } from '#/lib/i18n';
import { Button } from '#/ui/button';
import { TextInput } from '#/ui/field';
import { Select } from '#/ui/select';

export interface GenericSearchField {
  readonly key: string;
  readonly label: string;
  readonly choices?: readonly { readonly value: string; readonly label: string }[];
}

/** Conditions above a generic table. They apply after Search (or Enter) is pressed; Reset clears them. */
export function SearchForm({
  label,
  fields,
  value,
  onSearch,
}: {
  /** Name of the searched table. */
  readonly label: string;
  readonly fields: readonly GenericSearchField[];
  readonly value: Readonly<Record<string, string>>;
  readonly onSearch: (value: Readonly<Record<string, string>>) => void;
}) {
  const t = useT();
  const [draft, setDraft] = useState(value);
  const set = (key: string, text: string) => setDraft((old) => ({ ...old, [key]: text }));
  return (
    <form
      role="search"
      aria-label={t('resource:generic.search_in', { name: label })}
      className="flex flex-wrap items-end gap-2 p-3"
      onSubmit={(event) => {
        event.preventDefault();
        onSearch(draft);
      }}
    >
      {fields.map((field) => (
        <label key={field.key} className="grid gap-1 text-meta text-ink-2">
          {field.label}
          {field.choices ? (
            <Select
              label={field.label}
              className="w-40 text-body"
              options={[{ value: '', label: t('resource:generic.any') }, ...field.choices]}
              value={draft[field.key] ?? ''}
              onChange={(chosen) => set(field.key, chosen)}
            />
          ) : (
            <TextInput
              className="w-40! text-body"
              value={draft[field.key] ?? ''}
              onChange={(event) => set(field.key, event.target.value)}
            />
          )}
        </label>
      ))}
      <Button type="submit" icon={Search}>
        {t('resource:search.label')}
      </Button>
      <Button
        kind="text"
        onClick={() => {
          setDraft({});
          onSearch({});
        }}
      >
        {t('resource:form.reset')}
      </Button>
    </form>
  );
}
