import { useT } from '#/lib/i18n';
import type { CustomInput } from '#/resource/define';
import { rowsOf, RowsInput } from '#/resource/form/RowsInput';
import { Note } from '#/ui/note';
import { type Rule, RuleRow } from './RuleRow';

const NEW: Rule = { claim: 'groups', value: '', role: '', group: null };

/** Who gets which system role or group, by what the provider tells. */
export function RulesField({ input }: { readonly input: CustomInput }) {
  const t = useT();
  const givesAdmin = rowsOf<Rule>(input).some((rule) => rule.role === 'Admin');
  return (
    <RowsInput<Rule>
      input={input}
      empty={t('settings:openid.no_rules')}
      add={t('settings:openid.add_rule')}
      made={() => NEW}
      note={givesAdmin && <Note tone="warn">{t('settings:openid.admin_rule')}</Note>}
    >
      {({ row, ...place }) => <RuleRow rule={row} {...place} />}
    </RowsInput>
  );
}
