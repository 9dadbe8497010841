import { Plus, Trash2 } from 'lucide-react';
import { useState } from 'react';
import { Button, IconButton } from '#/ui/button';
import { Checkbox, CheckGroup, RadioGroup, Segmented, Switch } from '#/ui/choice';
import { DateTimeInput } from '#/ui/dates/DateTimeInput';
import { expiryShortcuts } from '#/ui/dates/shortcuts';
import { SpanInput } from '#/ui/dates/SpanInput';
import { instantOf } from '#/ui/dates/typed';
import { Field, PasswordInput, TextArea, TextInput } from '#/ui/field';
import { Picker, type PickerOption } from '#/ui/picker';
import { Select } from '#/ui/select';
import { nothing, Part } from './GalleryPart';

const OPTIONS: readonly PickerOption[] = [
  { id: '1', label: 'root-sh-prod', detail: 'ssh', warn: true },
  { id: '2', label: 'deploy-sh-prod', detail: 'ssh' },
  { id: '3', label: 'dba-sh-prod', detail: 'mysql' },
];

export function Buttons() {
  return (
    <Part title="Buttons">
      {(['primary', 'neutral', 'text', 'link', 'danger', 'danger-solid'] as const).map((kind) => (
        <div key={kind} className="flex flex-wrap gap-2">
          <Button kind={kind} icon={Plus}>
            {kind}
          </Button>
          <Button kind={kind} busy>
            busy
          </Button>
          <Button kind={kind} disabledReason="Not permitted">
            refused
          </Button>
          <IconButton kind={kind} icon={Trash2} label={`${kind} icon`} />
        </div>
      ))}
    </Part>
  );
}

const SPANS = [
  {
    label: 'resource:dates.today',
    span: () => ({ from: new Date(2026, 10, 20), to: new Date(2026, 10, 20, 23, 59) }),
  },
];

export function Fields() {
  const [when, setWhen] = useState('2026-11-20T15:45');
  const [day, setDay] = useState('2026-11-20');
  const [span, setSpan] = useState({ from: new Date(2026, 10, 3), to: new Date(2026, 10, 9, 23, 59) });
  const [chosen, setChosen] = useState<readonly PickerOption[]>(OPTIONS.slice(0, 2));
  const [protocol, setProtocol] = useState('ssh');
  return (
    <Part title="Fields">
      <Field label="Hostname" help="As in the inventory">
        {(control) => <TextInput {...control} defaultValue="web-prod-sh-014" />}
      </Field>
      <Field label="IP" error="Invalid IP address: 300 is outside 0–255" required>
        {(control) => <TextInput {...control} defaultValue="10.32.4.300" />}
      </Field>
      <Field label="Source">{(control) => <TextInput {...control} value="LDAP" readOnly />}</Field>
      <Field label="Password">{(control) => <PasswordInput {...control} defaultValue="secret" />}</Field>
      <Field label="Comment">{(control) => <TextArea {...control} defaultValue="on call" />}</Field>
      <Field label="Expires">
        {(control) => (
          <DateTimeInput
            {...control}
            calendarLabel="Expires"
            value={when}
            bounds={{ min: new Date(2026, 10, 5, 9, 30) }}
            shortcuts={expiryShortcuts(() => '')}
            onChange={setWhen}
          />
        )}
      </Field>
      <Field label="Day">
        {(control) => (
          <DateTimeInput {...control} kind="date" calendarLabel="Day" value={day} onChange={setDay} />
        )}
      </Field>
      <SpanInput
        span={span}
        label="Time range"
        labels={{ from: 'From', to: 'To' }}
        times={{ from: '00:00', to: '23:59' }}
        shortcuts={SPANS}
        onTyped={({ from, to }) => setSpan({ from: instantOf(from), to: instantOf(to) })}
        onSpan={setSpan}
      />
      <Field label="Disabled">
        {(control) => <TextInput {...control} disabled value="fixed" readOnly />}
      </Field>
      <Field label="Owner" help="Options failed to load">
        {(control) => (
          <Picker
            control={control}
            label="Owner"
            multiple={false}
            chosen={[]}
            onChange={nothing}
            options={[]}
            total={0}
            state="failed"
            onSearch={nothing}
            onOpenChange={nothing}
            onNearEnd={nothing}
          />
        )}
      </Field>
      <Field label="Protocol">
        {(control) => (
          <Select
            id={control.id}
            label="Protocol"
            options={['ssh', 'rdp', 'vnc'].map((value) => ({ value, label: value }))}
            value={protocol}
            onChange={setProtocol}
          />
        )}
      </Field>
      <Field label="System users">
        {(control) => (
          <Picker
            control={control}
            label="System users"
            multiple
            chosen={chosen}
            onChange={setChosen}
            options={OPTIONS}
            total={112}
            state="ready"
            onSearch={nothing}
            onOpenChange={nothing}
            onNearEnd={nothing}
          />
        )}
      </Field>
    </Part>
  );
}

export function Choices() {
  const [mode, setMode] = useState('auto');
  return (
    <Part title="Choices">
      <div className="flex flex-wrap gap-4">
        <Checkbox defaultChecked>on</Checkbox>
        <Checkbox indeterminate>part</Checkbox>
        <Checkbox>off</Checkbox>
        <Checkbox disabled>disabled</Checkbox>
      </div>
      <RadioGroup
        name="mode"
        options={[
          { value: 'auto', label: 'Managed' },
          { value: 'manual', label: 'By hand' },
        ]}
        value={mode}
        onChange={setMode}
      />
      <CheckGroup
        name="actions"
        options={['connect', 'upload', 'download'].map((value) => ({ value, label: value }))}
        value={['connect']}
        onChange={nothing}
      />
      <div className="flex gap-4">
        <Switch defaultChecked>on</Switch>
        <Switch>off</Switch>
        <Switch disabled>disabled</Switch>
      </div>
      <Segmented
        label="Range"
        options={['Week', 'Month', 'Quarter'].map((label) => ({ value: label, label }))}
        value="Week"
        onChange={nothing}
      />
    </Part>
  );
}
