import { Pencil, Plus, Trash2 } from 'lucide-react';
import { useMemo } from 'react';
import { useNavigate } from '@tanstack/react-router';
import { explain } from '#/lib/http/catalogue';
import { http } from '#/lib/http/client';
import { useT } from '#/lib/i18n';
import { queryClient } from '#/lib/query';
import { useIsRootOrganization } from '#/lib/session';
import { Button } from '#/ui/button';
import { Card } from '#/ui/card';
import { confirm } from '#/ui/confirm';
import { splitTarget } from '#/ui/link';
import { FailedState, StateView } from '#/ui/states';
import { Table, type TableColumn } from '#/ui/table';
import { VisibleText } from '#/ui/visible-text';
import { newRulePath, rulePath, type RuleRow, rulesApi, titleOf, useRules } from './rule';
import { VerdictMark, verdictOf } from './VerdictMark';

const content = (row: RuleRow) => (
  <code className="block min-w-44 font-mono text-meta whitespace-pre-wrap [overflow-wrap:anywhere]">
    <VisibleText text={row.content} />
  </code>
);
const verdict = (row: RuleRow) => <VerdictMark verdict={verdictOf(row.action ?? 0)} asRule />;

function useColumns(): readonly TableColumn<RuleRow>[] {
  const t = useT();
  return useMemo(
    () => [
      {
        key: 'priority',
        label: t('command-filters:priority'),
        align: 'right',
        width: 80,
        cell: (row) => row.priority,
      },
      { key: 'action', label: t('command-filters:action'), width: 120, cell: verdict },
      { key: 'type', label: t('command-filters:type'), width: 140, cell: (row) => row.type_display },
      { key: 'content', label: t('command-filters:content'), cell: content },
      { key: 'comment', label: t('command-filters:comment'), cell: (row) => row.comment },
    ],
    [t],
  );
}

/** The rules of a filter in the order in which they decide. */
export function RuleTab({
  filterId,
  onChange,
}: {
  readonly filterId: string;
  readonly onChange: () => void;
}) {
  const t = useT();
  const navigate = useNavigate();
  const isRoot = useIsRootOrganization();
  const rules = useRules(filterId);
  const columns = useColumns();
  const remove = async (row: RuleRow) => {
    const name = titleOf(row.content);
    const sure = await confirm({
      title: t('command-filters:delete.question', { name }),
      effect: t('command-filters:delete.effect'),
      confirmLabel: t('command-filters:delete.confirm'),
      danger: true,
      run: () => http.delete(`${rulesApi(filterId)}${row.id}/`, { quiet: true }),
    });
    if (!sure) return;
    await queryClient.invalidateQueries({ queryKey: ['list', rulesApi(filterId)] });
    onChange();
  };
  const add = () => void navigate(splitTarget(newRulePath(filterId)));
  return (
    <Card
      flush
      title={t('command-filters:rules')}
      aside={t('command-filters:order')}
      actions={
        isRoot ? undefined : (
          <Button kind="primary" icon={Plus} onClick={add}>
            {t('command-filters:create_rule')}
          </Button>
        )
      }
    >
      {rules.error ? (
        <FailedState
          title={t('command-filters:rules_failed')}
          message={explain(rules.error)}
          onRetry={() => void rules.refetch()}
        />
      ) : (
        <div className="overflow-x-auto">
          <Table
            label={t('command-filters:rules')}
            columns={columns}
            rows={rules.data?.results}
            rowId={(row) => row.id}
            rowName={(row) => titleOf(row.content)}
            actions={(row) =>
              isRoot
                ? []
                : [
                    {
                      id: 'update',
                      label: t('command-filters:update'),
                      icon: Pencil,
                      run: () => void navigate(splitTarget(rulePath(filterId, row.id))),
                    },
                    {
                      id: 'delete',
                      label: t('command-filters:delete.action'),
                      icon: Trash2,
                      danger: true,
                      run: () => void remove(row),
                    },
                  ]
            }
            placeholder={
              rules.data?.results.length === 0 ? (
                <StateView drawing="empty" title={t('command-filters:no_rules')}>
                  {t('command-filters:no_rules_what')}
                </StateView>
              ) : undefined
            }
          />
        </div>
      )}
      <p className="border-t border-line px-3.5 py-2 text-meta text-ink-3">
        {t('command-filters:otherwise')}
      </p>
    </Card>
  );
}
