import type { ReactNode } from 'react';
import { type ButtonLook, IconButton } from './button';
import type { Icon } from './icon';

/** Icon button whose tooltip shows its name and shortcut. */
export function TipButton({
  label,
  shortcut,
  icon,
  onPress,
  kind = 'text',
  size,
}: Omit<ButtonLook, 'icon'> & {
  readonly label: string;
  readonly shortcut?: string;
  readonly icon: Icon;
  readonly onPress: () => void;
  readonly children?: ReactNode;
}) {
  return (
    <IconButton
      icon={icon}
      kind={kind}
      size={size}
      label={label}
      title={shortcut === undefined ? label : `${label} (${shortcut})`}
      aria-keyshortcuts={shortcut}
      onClick={onPress}
    />
  );
}
