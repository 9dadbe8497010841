import { useQuery } from '@tanstack/react-query';
import {
  AppWindow,
  CircleCheck,
  Folder,
  GitBranch,
  KeyRound,
  OctagonX,
  Server,
  User,
  Users,
} from 'lucide-react';
import { type ReactNode, useState } from 'react';
import { explain } from '#/lib/http/catalogue';
import { type Translate, useT } from '#/lib/i18n';
import { paths } from '#/lib/paths';
import { useMay } from '#/lib/session';
import type { RemoteOptions } from '#/resource/define';
import { RemoteSelect } from '#/resource/form/RemoteSelect';
import { ApplicationLink } from '#/domain/application-kinds/ApplicationLink';
import { assetOptions, systemUserOptions, userOptions } from '#/domain/remotes';
import { Card } from '#/ui/card';
import { Field } from '#/ui/field';
import type { Icon } from '#/ui/icon';
import { AppLink } from '#/ui/link';
import { Note } from '#/ui/note';
import { Chip } from '#/ui/status';
import { chosenLeaves } from './actions';
import {
  type AccessQuestion,
  explainAccess,
  type Named,
  type Nearest,
  type Reason,
  type Verdict,
} from './explain';

// i18n: explain-access:actions.*
interface Step {
  readonly icon: Icon;
  readonly label: string;
  readonly name: string;
  readonly to?: string;
  /** In place of `to`, where the address is not known at once. */
  readonly link?: ReactNode;
}

/** The path from the person to the asset, step by step. */
function stepsOf({ permission, via }: Reason, t: Translate): readonly Step[] {
  const steps: Step[] = [];
  if (via?.user_group) {
    steps.push({
      icon: Users,
      label: t('explain-access:in_group'),
      name: via.user_group.name,
      to: paths.userGroup(via.user_group.id),
    });
  } else if (via?.user) {
    steps.push({
      icon: User,
      label: t('explain-access:named'),
      name: via.user.name,
      to: paths.user(via.user.id),
    });
  }
  if (permission) {
    steps.push({
      icon: KeyRound,
      label: t('explain-access:by_rule'),
      name: permission.name,
      to: (via?.application ? paths.applicationPermission : paths.assetPermission)(permission.id),
    });
  }
  if (via?.node) {
    steps.push({
      icon: Folder,
      label: t('explain-access:in_node'),
      name: via.node.name,
      to: paths.assetsOfNode(via.node.id),
    });
  } else if (via?.application) {
    steps.push({
      icon: AppWindow,
      label: t('explain-access:names_application'),
      name: via.application.name,
      link: <ApplicationLink id={via.application.id} name={via.application.name} />,
    });
  } else if (via?.asset) {
    steps.push({
      icon: Server,
      label: t('explain-access:names_asset'),
      name: via.asset.name,
      to: paths.asset(via.asset.id),
    });
  }
  return steps;
}

function ReasonView({ reason }: { readonly reason: Reason }) {
  const t = useT();
  const steps = stepsOf(reason, t);
  return (
    <li>
      <p className="text-ink-2">{reason.message}</p>
      <ol className="mt-1.5 grid">
        {steps.map((step) => (
          <li
            key={step.label}
            className="relative grid grid-cols-[23px_84px_minmax(0,1fr)] items-start gap-2 pb-2 not-last:before:absolute not-last:before:top-6 not-last:before:bottom-0 not-last:before:left-[11px] not-last:before:w-px not-last:before:bg-line-2"
          >
            <span className="grid size-[23px] place-items-center rounded-(--r-gate) bg-accent-soft-2 text-accent">
              <step.icon className="size-[13px]!" aria-hidden />
            </span>
            <span className="pt-0.5 text-ink-3">{step.label}</span>
            <span className="pt-0.5 [overflow-wrap:anywhere]">
              {step.link ?? (step.to === undefined ? step.name : <AppLink to={step.to}>{step.name}</AppLink>)}
            </span>
          </li>
        ))}
      </ol>
    </li>
  );
}

/** Pages of the objects that a permission can lack. */
const LACKED: Readonly<Record<string, (id: string) => string>> = {
  user: paths.user,
  asset: paths.asset,
  system_user: paths.systemUser,
};

const PERMISSION_PAGES = { asset: paths.assetPermission, application: paths.applicationPermission } as const;

function Lacked({ code, object }: { readonly code: string; readonly object: Named | null }) {
  if (object === null) return null;
  if (code === 'application') return <ApplicationLink id={object.id} name={object.name} />;
  const page = LACKED[code];
  return page ? <AppLink to={page(object.id)}>{object.name}</AppLink> : null;
}

function NearestView({
  kind,
  nearest: { permission, lacks },
}: Pick<AccessQuestion, 'kind'> & { readonly nearest: Nearest }) {
  const t = useT();
  return (
    <div>
      <p className="text-ink-2">
        {t('explain-access:nearest')}{' '}
        <AppLink to={PERMISSION_PAGES[kind](permission.id)}>{permission.name}</AppLink>
      </p>
      <ul className="mt-1 list-disc pl-5 text-ink-2">
        {lacks.map((lack) => (
          <li key={lack.code}>
            {lack.message} <Lacked code={lack.code} object={lack.object} />
          </li>
        ))}
      </ul>
    </div>
  );
}

const TARGET_LABELS = { asset: 'explain-access:asset', application: 'explain-access:application' } as const;

function VerdictView({ kind, verdict }: Pick<AccessQuestion, 'kind'> & { readonly verdict: Verdict }) {
  const t = useT();
  const Mark = verdict.allowed ? CircleCheck : OctagonX;
  return (
    <div className="mt-3 grid gap-2">
      <p
        className={`flex items-center gap-2 font-semibold ${verdict.allowed ? 'text-ok' : 'text-danger'}`}
        role="status"
      >
        <Mark aria-hidden />
        {t(verdict.allowed ? 'explain-access:allowed' : 'explain-access:denied')}
      </p>
      <ul className="grid gap-2">
        {verdict.reasons.map((reason) => (
          <ReasonView key={`${reason.code}-${reason.permission?.id ?? ''}`} reason={reason} />
        ))}
      </ul>
      {verdict.nearest && <NearestView kind={kind} nearest={verdict.nearest} />}
      {verdict.allowed && kind === 'asset' && (
        <p className="flex flex-wrap gap-1.5">
          {[...chosenLeaves(verdict.actions)].map((name) => (
            <Chip key={name}>{t(`explain-access:actions.${name}`)}</Chip>
          ))}
        </p>
      )}
    </div>
  );
}

export interface ExplainProps {
  /** What the page is about already; the card asks for the rest. */
  readonly user?: string;
  readonly asset?: string;
  readonly application?: string;
  /** The applications to choose from: the card then asks about an application and not about an asset. */
  readonly applications?: RemoteOptions;
  /** System users to choose from; every one of the organization unless given. */
  readonly systemUsers?: RemoteOptions;
}

/** Shows whether a person can reach an asset or application with a system user, and why. Uses the saved permissions. */
export function ExplainAccess(props: ExplainProps) {
  const t = useT();
  const may = useMay('admin');
  const [user, setUser] = useState<readonly string[]>([]);
  const [target, setTarget] = useState<readonly string[]>([]);
  const [systemUser, setSystemUser] = useState<readonly string[]>([]);
  const kind = (props.applications ?? props.application) ? 'application' : 'asset';
  const question: AccessQuestion = {
    user: props.user ?? user[0] ?? '',
    kind,
    target: props[kind] ?? target[0] ?? '',
    system_user: systemUser[0] ?? '',
  };
  const complete = question.user !== '' && question.target !== '' && question.system_user !== '';
  const answer = useQuery({
    queryKey: ['explain', question],
    queryFn: () => explainAccess(question),
    enabled: complete && may,
    staleTime: 0,
  });
  if (!may) return null; // auditors see these pages, too, but may not ask
  return (
    <Card
      title={
        <span className="flex items-center gap-2">
          <GitBranch className="text-accent" aria-hidden />
          {t('explain-access:title')}
        </span>
      }
      aside={t('explain-access:saved')}
    >
      <div className="grid gap-2">
        {props.user === undefined && (
          <Field label={t('explain-access:user')} layout="above">
            {(control) => (
              <RemoteSelect
                control={control}
                label={t('explain-access:user')}
                remote={userOptions}
                multiple={false}
                value={user}
                onChange={setUser}
              />
            )}
          </Field>
        )}
        {props[kind] === undefined && (
          <Field label={t(TARGET_LABELS[kind])} layout="above">
            {(control) => (
              <RemoteSelect
                control={control}
                label={t(TARGET_LABELS[kind])}
                remote={props.applications ?? assetOptions}
                multiple={false}
                value={target}
                onChange={setTarget}
              />
            )}
          </Field>
        )}
        <Field label={t('explain-access:system_user')} layout="above">
          {(control) => (
            <RemoteSelect
              control={control}
              label={t('explain-access:system_user')}
              remote={props.systemUsers ?? systemUserOptions}
              multiple={false}
              value={systemUser}
              onChange={setSystemUser}
            />
          )}
        </Field>
      </div>
      {answer.error && <Note tone="danger">{explain(answer.error)}</Note>}
      {answer.data && <VerdictView kind={kind} verdict={answer.data} />}
    </Card>
  );
}
