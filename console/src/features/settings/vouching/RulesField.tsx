import { Plus } from 'lucide-react';
import { useT } from '#/lib/i18n';
import type { CustomInput } from '#/resource/define';
import { Button } from '#/ui/button';
import { Note } from '#/ui/note';
import { type Rule, RuleRow } from './RuleRow';

const NEW: Rule = { claim: 'groups', value: '', role: '', group: null };

/** Who gets which system role or group, by what the provider tells. */
export function RulesField({ input }: { readonly input: CustomInput }) {
  const t = useT();
  // Each value of this field comes from the server or from this control.
  const rules = (Array.isArray(input.value) ? input.value : []) as readonly Rule[];
  const replace = (index: number, rule: Rule) =>
    input.onChange(rules.map((other, at) => (at === index ? rule : other)));
  return (
    <div
      id={input.id}
      role="group"
      aria-label={input.label}
      aria-describedby={input.describedBy}
      className="grid gap-2"
    >
      {rules.length === 0 && <p className="pt-1 text-ink-2">{t('settings:openid.no_rules')}</p>}
      {rules.map((rule, index) => (
        <RuleRow
          // oxlint-disable-next-line react/no-array-index-key -- rules have no other identity
          key={index}
          rule={rule}
          number={index + 1}
          onChange={(changed) => replace(index, changed)}
          onRemove={() => input.onChange(rules.filter((_, at) => at !== index))}
        />
      ))}
      {rules.some((rule) => rule.role === 'Admin') && (
        <Note tone="warn">{t('settings:openid.admin_rule')}</Note>
      )}
      <span>
        <Button size="sm" icon={Plus} onClick={() => input.onChange([...rules, NEW])}>
          {t('settings:openid.add_rule')}
        </Button>
      </span>
    </div>
  );
}
