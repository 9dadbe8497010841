import { X } from 'lucide-react';
import { groupOptions } from '#/domain/remotes';
import { useT } from '#/lib/i18n';
import { RemoteSelect } from '#/resource/form/RemoteSelect';
import { IconButton } from '#/ui/button';
import { Field, TextInput } from '#/ui/field';
import { Select } from '#/ui/select';

/** Whoever has `value` at the path `claim` gets the system role, or belongs to the group. */
export interface Rule {
  readonly claim: string;
  readonly value: string;
  readonly role: string;
  readonly group: string | null;
}

const GROUP = 'group';

function Gives({ rule, onChange }: { readonly rule: Rule; readonly onChange: (rule: Rule) => void }) {
  const t = useT();
  const options = [
    { value: GROUP, label: t('settings:openid.in_group') },
    { value: 'User', label: t('settings:openid.role.user') },
    { value: 'Auditor', label: t('settings:openid.role.auditor') },
    { value: 'Admin', label: t('settings:openid.role.admin') },
  ];
  return (
    <>
      <Field layout="above" label={t('settings:openid.gives')}>
        {(control) => (
          <Select
            id={control.id}
            label={t('settings:openid.gives')}
            options={options}
            value={rule.role === '' ? GROUP : rule.role}
            onChange={(chosen) => onChange({ ...rule, role: chosen === GROUP ? '' : chosen, group: null })}
          />
        )}
      </Field>
      {rule.role === '' && (
        <Field layout="above" label={t('settings:openid.group')} help={t('settings:openid.group_help')}>
          {(control) => (
            <RemoteSelect
              control={control}
              label={t('settings:openid.group')}
              remote={groupOptions}
              multiple={false}
              value={rule.group === null ? [] : [rule.group]}
              onChange={([group]) => onChange({ ...rule, group: group ?? null })}
            />
          )}
        </Field>
      )}
    </>
  );
}

/** One rule: where to look, for what, and what it gives. */
export function RuleRow({
  rule,
  number,
  onChange,
  onRemove,
}: {
  readonly rule: Rule;
  readonly number: number;
  readonly onChange: (rule: Rule) => void;
  readonly onRemove: () => void;
}) {
  const t = useT();
  // i18n: settings:openid.rule_*
  return (
    <div
      role="group"
      aria-label={t('settings:openid.rule', { number })}
      className="flex items-start gap-2 rounded-2 border border-line p-2.5"
    >
      <div className="grid min-w-0 grow gap-2 sm:grid-cols-2">
        {(['claim', 'value'] as const).map((name) => (
          <Field key={name} layout="above" label={t(`settings:openid.rule_${name}`)}>
            {(control) => (
              <TextInput
                {...control}
                value={rule[name]}
                onChange={(event) => onChange({ ...rule, [name]: event.target.value })}
              />
            )}
          </Field>
        ))}
        <Gives rule={rule} onChange={onChange} />
      </div>
      <IconButton
        kind="text"
        icon={X}
        label={t('settings:openid.remove_rule', { number })}
        onClick={onRemove}
      />
    </div>
  );
}
