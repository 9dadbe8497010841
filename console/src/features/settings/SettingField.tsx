import { lazy, Suspense } from 'react';
import { loadNamespaces, useT } from '#/lib/i18n';
import type { FieldMeta } from '#/resource/api';
import type { FieldSpec } from '#/resource/define';
import { FieldControl } from '#/resource/form/FieldControl';
import { Button } from '#/ui/button';
import { Note } from '#/ui/note';
import type { SettingState } from './api';
import { OrderInput } from './OrderInput';
import { SecretInput } from './SecretInput';
import type { SettingsForm } from './use-settings-form';

const PasskeysNote = lazy(async () => {
  const [part] = await Promise.all([import('./PasskeysNote'), loadNamespaces(['passkeys'])]);
  return { default: part.default };
});

/** A value as the person knows it from the control. */
function shown(value: unknown, meta: FieldMeta | undefined, t: ReturnType<typeof useT>): string {
  if (typeof value === 'boolean') return t(value ? 'settings:value.on' : 'settings:value.off');
  const choice = meta?.choices?.find((one) => one.value === value);
  if (choice) return choice.display_name;
  const entries = meta?.type === 'list' ? meta.child?.choices : undefined;
  if (entries !== undefined && typeof value === 'string' && value !== '') {
    return value
      .split(',')
      .map((entry) => entries.find((one) => one.value === entry)?.display_name ?? entry)
      .join(' › ');
  }
  return typeof value === 'number' || (typeof value === 'string' && value !== '')
    ? String(value)
    : t('settings:value.empty');
}

function specOf(setting: SettingState, meta: FieldMeta | undefined): FieldSpec {
  const isDisabled = () => setting.variable !== '';
  if (setting.is_secret) {
    return { isDisabled, render: (input) => <SecretInput input={input} isSet={setting.is_set} /> };
  }
  const choices = meta?.child?.choices;
  if (meta?.type === 'list' && choices !== undefined) {
    return { isDisabled, render: (input) => <OrderInput input={input} choices={choices} /> };
  }
  if (setting.is_long) return { isDisabled, control: 'textarea' };
  // A switch always has a value: it needs no mark of required fields.
  if (meta?.type === 'boolean') return { isDisabled, control: 'switch', required: false };
  return { isDisabled };
}

/** One setting. A changed one shows its saved value, one that the environment fixes names the variable. */
export function SettingField({
  setting,
  meta,
  settings,
}: {
  readonly setting: SettingState;
  readonly meta: FieldMeta | undefined;
  readonly settings: SettingsForm;
}) {
  const t = useT();
  const { form, values, restore } = settings;
  const isChanged = form.formState.dirtyFields[setting.name] === true;
  const before = form.formState.defaultValues?.[setting.name];
  return (
    <div className="settings-field" data-changed={isChanged || undefined}>
      <FieldControl
        name={setting.name}
        meta={meta}
        spec={specOf(setting, meta)}
        form={form.control}
        context={{ mode: 'update', values }}
      />
      {setting.variable !== '' && (
        <p className="text-meta text-ink-2 sm:pl-36">
          {t('settings:fixed')} <code className="font-mono [overflow-wrap:anywhere]">{setting.variable}</code>
        </p>
      )}
      {setting.is_broken && (
        <div className="sm:pl-36">
          <Note tone="warn">
            <p>{t('settings:broken.what', { value: shown(values[setting.name], meta, t) })}</p>
            {!isChanged && (
              <div className="mt-1.5">
                <Button
                  size="sm"
                  busy={settings.busy}
                  onClick={() => void settings.save(setting.category, [setting.name])}
                >
                  {t('settings:broken.keep')}
                </Button>
              </div>
            )}
          </Note>
        </div>
      )}
      {isChanged && setting.name === 'SITE_URL' && (
        <Suspense>
          <PasskeysNote address={values[setting.name]} />
        </Suspense>
      )}
      {isChanged && (
        <p className="flex flex-wrap gap-x-2 text-meta sm:pl-36">
          <span className="font-medium text-warn">{t('settings:unsaved')}</span>
          {!setting.is_secret && (
            <span className="text-ink-2 [overflow-wrap:anywhere]">
              {t('settings:before', { value: shown(before, meta, t) })}
            </span>
          )}
          <button type="button" className="pt-link underline" onClick={() => restore([setting.name])}>
            {t('settings:restore')}
          </button>
        </p>
      )}
    </div>
  );
}
