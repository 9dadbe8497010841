import { useT } from '#/lib/i18n';
import type { Choice } from '#/resource/api';
import { CheckGroup, Switch } from '#/ui/choice';
import { Field, TextInput } from '#/ui/field';
import type { Offered, WebhookValues } from './api';

export type FieldErrors = Partial<Record<keyof WebhookValues, string>>;

const optionsOf = (choices: readonly Choice[]) =>
  choices.map(({ value, display_name: label }) => ({ value: String(value), label }));

/** The fields of a webhook. */
export function WebhookFields({
  values,
  offered,
  errors,
  onChange,
}: {
  readonly values: WebhookValues;
  readonly offered: Offered;
  readonly errors: FieldErrors;
  readonly onChange: (changes: Partial<WebhookValues>) => void;
}) {
  const t = useT();
  return (
    <>
      <Field layout="above" label={t('settings:webhooks.name')} required error={errors.name}>
        {(control) => (
          <TextInput
            {...control}
            maxLength={128}
            value={values.name}
            onChange={(event) => onChange({ name: event.target.value })}
          />
        )}
      </Field>
      <Field
        layout="above"
        label={t('settings:webhooks.address')}
        help={t('settings:webhooks.address_help')}
        required
        error={errors.address}
      >
        {(control) => (
          <TextInput
            {...control}
            inputMode="url"
            maxLength={1024}
            placeholder="https://"
            value={values.address}
            onChange={(event) => onChange({ address: event.target.value })}
          />
        )}
      </Field>
      <Field layout="above" group label={t('settings:webhooks.messages')} error={errors.message_types}>
        {() => (
          <CheckGroup
            name="message_types"
            options={optionsOf(offered.messages)}
            value={values.message_types}
            onChange={(chosen) => onChange({ message_types: chosen })}
          />
        )}
      </Field>
      <Field
        layout="above"
        group
        label={t('settings:webhooks.events')}
        help={t('settings:webhooks.events_help')}
        error={errors.audit_categories}
      >
        {() => (
          <CheckGroup
            name="audit_categories"
            options={optionsOf(offered.categories)}
            value={values.audit_categories}
            onChange={(chosen) => onChange({ audit_categories: chosen })}
          />
        )}
      </Field>
      <Switch checked={values.is_active} onChange={(event) => onChange({ is_active: event.target.checked })}>
        {t('settings:webhooks.active')}
      </Switch>
    </>
  );
}
