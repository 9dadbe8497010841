import { useQuery } from '@tanstack/react-query';
import { useSearch } from '@tanstack/react-router';
import { ShieldHalf } from 'lucide-react';
import { useMemo } from 'react';
import type { Api } from '#/lib/api-types';
import { http } from '#/lib/http/client';
import { useT } from '#/lib/i18n';
import { paths } from '#/lib/paths';
import { userOptions } from '#/domain/remotes';
import { defineResource, type FieldContext, type FormMode, type ResourceDefinition } from '#/resource/define';
import { ResourceForm } from '#/resource/form/ResourceForm';
import { AppLink } from '#/ui/link';
import { PageHeader } from '#/ui/page';
import { FailedState } from '#/ui/states';
import { commandFilterRoutes, commandFilterRulePaths } from '../addresses';
import { OrderInForce } from './OrderInForce';
import { PastCommands } from './PastCommands';
import { type RuleRow, rulesApi, titleOf } from './rule';
import { draftOf } from './trial';
import { TryLine } from './TryLine';

/** The number of the action “confirm” in the API. */
const CONFIRM = '2';

/** The filter of the rule; it cannot be changed. */
function FilterName({ filterId }: { readonly filterId: string }) {
  const filter = useQuery({
    queryKey: ['object', 'assets/cmd-filters/', filterId, 'name'],
    queryFn: () => http.get<Api<'CommandFilter'>>(`assets/cmd-filters/${filterId}/`, { quiet: true }),
  });
  return <AppLink to={paths.commandFilter(filterId)}>{filter.data?.name ?? '…'}</AppLink>;
}

function Aside({
  filterId,
  values,
  id,
}: FieldContext & { readonly filterId: string; readonly id: string | undefined }) {
  const draft = draftOf(values, id);
  return (
    <div className="grid min-w-0 grid-cols-1 gap-3.5">
      <TryLine filterId={filterId} draft={draft} />
      <OrderInForce filterId={filterId} draft={draft} id={id} />
      <PastCommands filterId={filterId} draft={draft} />
    </div>
  );
}

/** The form of a rule. Rules are below their filter, so the definition is made for one filter. */
function ruleResource(filterId: string): ResourceDefinition<RuleRow> {
  return defineResource<RuleRow, 'assets/cmd-filters/{filter_pk}/rules/', 'of_filter'>({
    name: 'CommandFilterRuleListTable',
    api: rulesApi(filterId),
    routes: {
      names: { list: commandFilterRoutes.names.list },
      paths: { list: `${paths.commandFilter(filterId)}?activeTab=rules`, ...commandFilterRulePaths },
      titles: {
        list: 'nav:command_filter_detail',
        create: 'nav:command_filter_rule_create',
        update: 'nav:command_filter_rule_update',
      },
    },
    icon: ShieldHalf,
    nameOf: (row) => titleOf(row.content),
    noun: {
      one: 'command-filters:rule',
      many: 'command-filters:rules',
      what: 'command-filters:no_rules_what',
    },
    list: { columns: ['content'] },
    form: {
      groups: [
        {
          title: 'assets:form.basic',
          fields: ['of_filter', 'type', 'content', 'priority', 'action', 'reviewers', 'comment'],
        },
      ],
      initial: () => ({ type: 'command', priority: 50, action: 0, reviewers: [] }),
      fields: {
        of_filter: {
          label: 'command-filters:title',
          local: true,
          render: () => <FilterName filterId={filterId} />,
        },
        type: { control: 'radio' },
        content: {
          control: 'textarea',
          placeholder: 'rm -rf\nsystemctl stop',
          help: ({ values }) =>
            values['type'] === 'regex' ? 'command-filters:regex_help' : 'command-filters:command_help',
        },
        priority: { help: 'command-filters:priority_help' },
        action: { control: 'radio' },
        reviewers: {
          remote: userOptions,
          multiple: true,
          required: true,
          isHidden: ({ values }) => String(values['action']) !== CONFIRM,
        },
        comment: { control: 'input' },
      },
      aside: (context) => <Aside filterId={filterId} {...context} />,
    },
  });
}

/** Creates or updates a rule of the filter in the query. */
export function RuleFormPage({ mode }: { readonly mode: FormMode }) {
  const t = useT();
  const { filter = '' }: { filter?: string } = useSearch({ strict: false });
  const resource = useMemo(() => ruleResource(filter), [filter]);
  if (filter === '') {
    return (
      <>
        <PageHeader
          title={t('nav:command_filter_rule_create')}
          back={{ to: commandFilterRoutes.paths.list, label: t('nav:command_filter_list') }}
        />
        <FailedState
          title={t('command-filters:no_filter_named')}
          message={t('command-filters:choose_filter')}
        />
      </>
    );
  }
  return <ResourceForm resource={resource} mode={mode} />;
}
