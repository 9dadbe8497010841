import { type ReactNode, useId } from 'react';
import { useT } from '#/lib/i18n';
import { useFocusOnFirst, wrongNames } from '#/resource/form/wrong-fields';
import { Button } from '#/ui/button';
import { Note } from '#/ui/note';
import type { Loaded, SettingState } from './api';
import type { Category } from './categories';
import { SettingField } from './SettingField';
import type { SettingsForm } from './use-settings-form';

/** The settings of a category by section, in the server's order. */
function sectionsOf(
  settings: readonly SettingState[],
): readonly (readonly [string, readonly SettingState[]])[] {
  const sections = new Map<string, SettingState[]>();
  for (const one of settings) sections.set(one.section, [...(sections.get(one.section) ?? []), one]);
  return [...sections];
}

function Sections({
  loaded,
  own,
  settings,
}: {
  readonly loaded: Loaded;
  readonly own: readonly SettingState[];
  readonly settings: SettingsForm;
}) {
  return sectionsOf(own).map(([section, members]) => (
    <fieldset key={section} className="grid gap-2.5">
      {section !== '' && (
        <legend className="mb-2.5 w-full border-b border-line pb-1.5 text-meta font-semibold text-ink-2">
          {section}
        </legend>
      )}
      {members.map((one) => (
        <SettingField key={one.name} setting={one} meta={loaded.fields[one.name]} settings={settings} />
      ))}
    </fieldset>
  ));
}

function SaveRow({
  form,
  count,
  settings,
  onRestore,
}: {
  readonly form: string;
  readonly count: number;
  readonly settings: SettingsForm;
  readonly onRestore: () => void;
}) {
  const t = useT();
  return (
    <div className="sticky bottom-0 z-(--z-sticky) flex flex-wrap gap-2 border-t border-line bg-surface-1 px-5 py-2.5">
      <Button kind="primary" type="submit" form={form} busy={settings.busy} disabled={count === 0}>
        {count === 0 ? t('settings:save.none') : t('settings:save.some', { count })}
      </Button>
      {count > 0 && (
        <Button disabled={settings.busy} onClick={onRestore}>
          {t('settings:restore_all')}
        </Button>
      )}
    </div>
  );
}

/** The form of one category. Its save button counts the changes. */
export function CategoryForm({
  category,
  loaded,
  settings,
  aside,
}: {
  readonly category: Category;
  readonly loaded: Loaded;
  readonly settings: SettingsForm;
  readonly aside?: ReactNode;
}) {
  const t = useT();
  const formId = useId();
  const own = loaded.settings.filter((one) => one.category === category);
  const names = own.map((one) => one.name);
  const changed = settings.changedIn(category);
  const wrong = wrongNames(settings.form.formState.errors, names);
  useFocusOnFirst(wrong[0], settings.focusWanted);
  // i18n: settings:tab.*
  return (
    <div className="settings-form" data-aside={aside === undefined ? undefined : ''}>
      <section className="pt-card min-w-0">
        <form
          id={formId}
          noValidate
          aria-label={t(`settings:tab.${category}`)}
          className="grid gap-5 p-5"
          onSubmit={(event) => {
            event.preventDefault();
            void settings.save(category);
          }}
        >
          {settings.problem && (
            <Note tone="danger" announce>
              {settings.problem.text}
              {settings.problem.isStale && (
                <div className="mt-2">
                  <Button size="sm" onClick={() => void settings.refresh()}>
                    {t('settings:load_again')}
                  </Button>
                </div>
              )}
            </Note>
          )}
          <Sections loaded={loaded} own={own} settings={settings} />
        </form>
        <SaveRow
          form={formId}
          count={changed.length}
          settings={settings}
          onRestore={() => settings.restore(changed.map((one) => one.name))}
        />
      </section>
      {aside}
    </div>
  );
}
