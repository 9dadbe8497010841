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
import { type ReactNode, useMemo, useState } from 'react';
import { explain } from '#/lib/http/catalogue';
import { type Translate, useT } from '#/lib/i18n';
import { paths } from '#/lib/paths';
import { systemUsersSpeaking } from '#/domain/application-kinds/options';
import type { RemoteOptions } from '#/resource/define';
import { RemoteSelect } from '#/resource/form/RemoteSelect';
import { assetOptions, systemUserOptions, userOptions } from '#/domain/remotes';
import { Card } from '#/ui/card';
import { Field } from '#/ui/field';
import type { Icon } from '#/ui/icon';
import { AppLink } from '#/ui/link';
import { Note } from '#/ui/note';
import { explainAccess, type Reason, type TargetKind, type Verdict } from './explain';

interface Step {
  readonly icon: Icon;
  readonly label: string;
  readonly name: string;
  readonly to?: string;
}

const PERMISSION_PAGE: Readonly<Record<TargetKind, (id: string) => string>> = {
  asset: paths.assetPermission,
  application: paths.applicationPermission,
};

/** The path from the person to the target, step by step. */
function stepsOf(kind: TargetKind, { permission, via }: Reason, t: Translate): readonly Step[] {
  const steps: Step[] = [];
  if (via?.user_group) {
    steps.push({
      icon: Users,
      label: t('explain:in_group'),
      name: via.user_group.name,
      to: paths.userGroup(via.user_group.id),
    });
  } else if (via?.user) {
    steps.push({ icon: User, label: t('explain:named'), name: via.user.name });
  }
  if (permission) {
    steps.push({
      icon: KeyRound,
      label: t('explain:by_rule'),
      name: permission.name,
      to: PERMISSION_PAGE[kind](permission.id),
    });
  }
  if (via?.node) steps.push({ icon: Folder, label: t('explain:in_node'), name: via.node.name });
  else if (via?.asset) {
    steps.push({
      icon: Server,
      label: t('explain:names_asset'),
      name: via.asset.name,
      to: paths.asset(via.asset.id),
    });
  }
  if (via?.application) {
    steps.push({ icon: AppWindow, label: t('explain:names_application'), name: via.application.name });
  }
  return steps;
}

function ReasonView({ kind, reason }: { readonly kind: TargetKind; readonly reason: Reason }) {
  const t = useT();
  const steps = stepsOf(kind, reason, t);
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
              {step.to === undefined ? step.name : <AppLink to={step.to}>{step.name}</AppLink>}
            </span>
          </li>
        ))}
      </ol>
    </li>
  );
}

function VerdictView({
  kind,
  verdict,
  allowed,
}: Pick<ExplainProps, 'kind' | 'allowed'> & { readonly verdict: Verdict }) {
  const t = useT();
  const Mark = verdict.allowed ? CircleCheck : OctagonX;
  return (
    <div className="mt-3 grid gap-2">
      <p
        className={`flex items-center gap-2 font-semibold ${verdict.allowed ? 'text-ok' : 'text-danger'}`}
        role="status"
      >
        <Mark aria-hidden />
        {t(verdict.allowed ? 'explain:allowed' : 'explain:denied')}
      </p>
      <ul className="grid gap-2">
        {verdict.reasons.map((reason) => (
          <ReasonView key={`${reason.code}-${reason.permission?.id ?? ''}`} kind={kind} reason={reason} />
        ))}
      </ul>
      {verdict.allowed && allowed?.(verdict.actions)}
    </div>
  );
}

/** A field of the question: one object, by name. */
function Choice({
  label,
  remote,
  value,
  onChange,
}: {
  readonly label: string;
  readonly remote: RemoteOptions;
  readonly value: readonly string[];
  readonly onChange: (value: readonly string[]) => void;
}) {
  return (
    <Field label={label} layout="above">
      {(control) => (
        <RemoteSelect
          control={control}
          label={label}
          remote={remote}
          multiple={false}
          value={value}
          onChange={onChange}
        />
      )}
    </Field>
  );
}

const NONE: readonly string[] = [];

interface ExplainProps {
  readonly kind: TargetKind;
  /** Objects that can be asked about; undefined when the page around the card is about one. */
  readonly targets?: RemoteOptions;
  /** Id of the object that the page is about. */
  readonly target?: string;
  readonly systemUsers: RemoteOptions;
  /** What an allowed person may do, from the names of the answer. */
  readonly allowed?: (actions: readonly string[]) => ReactNode;
}

/** Shows whether a person can reach a target with a system user, and why. Uses the saved permissions. */
function ExplainCard({ kind, targets, target, systemUsers, allowed }: ExplainProps) {
  const t = useT();
  const [user, setUser] = useState(NONE);
  const [chosen, setChosen] = useState(NONE);
  const [systemUser, setSystemUser] = useState(NONE);
  const question = {
    user: user[0] ?? '',
    target: target ?? chosen[0] ?? '',
    system_user: systemUser[0] ?? '',
  };
  const answer = useQuery({
    queryKey: ['explain', kind, question],
    queryFn: () => explainAccess(kind, question),
    enabled: Object.values(question).every((id) => id !== ''),
    staleTime: 0,
  });
  // i18n: explain:target.*
  return (
    <Card
      title={
        <span className="flex items-center gap-2">
          <GitBranch className="text-accent" aria-hidden />
          {t('explain:title')}
        </span>
      }
      aside={t('explain:saved')}
    >
      <div className="grid gap-2">
        <Choice label={t('explain:user')} remote={userOptions} value={user} onChange={setUser} />
        {targets && (
          <Choice label={t(`explain:target.${kind}`)} remote={targets} value={chosen} onChange={setChosen} />
        )}
        <Choice
          label={t('explain:system_user')}
          remote={systemUsers}
          value={systemUser}
          onChange={setSystemUser}
        />
      </div>
      {answer.error && <Note tone="danger">{explain(answer.error)}</Note>}
      {answer.data && <VerdictView kind={kind} verdict={answer.data} allowed={allowed} />}
    </Card>
  );
}

/** About any asset. `allowed` shows the actions of the answer. */
export function ExplainAsset({ allowed }: Pick<ExplainProps, 'allowed'>) {
  return (
    <ExplainCard kind="asset" targets={assetOptions} systemUsers={systemUserOptions} allowed={allowed} />
  );
}

/** About one application, or about those of the type that the page is about. */
export function ExplainApplication({
  application,
  targets,
  protocol,
}: {
  readonly application?: string;
  readonly targets?: RemoteOptions;
  /** What system users for it must speak. */
  readonly protocol: string;
}) {
  const systemUsers = useMemo(() => systemUsersSpeaking(protocol), [protocol]);
  return <ExplainCard kind="application" target={application} targets={targets} systemUsers={systemUsers} />;
}
