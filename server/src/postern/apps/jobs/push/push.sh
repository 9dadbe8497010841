# Creates or changes one account on this host, as root. The input is one value a line; an empty line leaves it as it is.
# Answers are lines of nonce, tab, name, tab, value; "end" comes last. Safe to repeat.
IFS= read -r nonce || exit 3
IFS= read -r user
IFS= read -r home
IFS= read -r shell
IFS= read -r groups
IFS= read -r mark
IFS= read -r key
IFS= read -r sudo
IFS= read -r password
LC_ALL=C
PATH=$PATH:/usr/sbin:/sbin:/usr/local/sbin:/usr/local/bin
export LC_ALL PATH
umask 022
cd / || exit 3

say() {
  printf '%s\t%s\t%.1000s\n' "$nonce" "$1" "$2"
}

have() {
  command -v "$1" >/dev/null 2>&1
}

# A command's own words are only shown, so their line ends do not matter.
words() {
  printf '%s' "$1" | tr '\n\t' '  '
}

create_account() {
  if have useradd; then
    set -- -m -s "$shell"
    if [ -n "$home" ]; then set -- "$@" -d "$home"; fi
    useradd "$@" -- "$user"
  elif have pw; then
    set -- useradd -n "$user" -m -s "$shell"
    if [ -n "$home" ]; then set -- "$@" -d "$home"; fi
    pw "$@"
  elif have adduser; then
    set -- -D -s "$shell"
    if [ -n "$home" ]; then set -- "$@" -h "$home"; fi
    adduser "$@" "$user"
  else
    echo "This host has none of useradd, pw and adduser."
    return 1
  fi
}

# Needs another user id than those of the system: what belongs to the system is not ours to change.
least=1000
if [ "$(uname -s)" = Darwin ]; then least=500; fi

if [ -z "$shell" ] || [ ! -x "$shell" ]; then
  if [ -n "$shell" ]; then say note "no_shell $shell"; fi
  shell=/bin/sh
fi
id=$(id -u "$user" 2>/dev/null)
if [ -n "$id" ]; then
  if [ "$id" -lt "$least" ]; then
    say failed "account_of_system $id"
    say end 1
    exit 1
  fi
  say account present
else
  if said=$(create_account 2>&1); then
    say account created
  else
    say failed "account $(words "$said")"
    say end 1
    exit 1
  fi
fi

if [ -n "$groups" ]; then
  rest=$groups,
  while [ -n "$rest" ]; do
    group=${rest%%,*}
    rest=${rest#*,}
    if [ -z "$group" ]; then continue; fi
    if have usermod; then
      said=$(usermod -a -G "$group" "$user" 2>&1)
    elif have pw; then
      said=$(pw groupmod "$group" -m "$user" 2>&1)
    else
      said=$(addgroup "$user" "$group" 2>&1)
    fi
    if [ $? -eq 0 ]; then say group "$group"; else say failed "group $group: $(words "$said")"; fi
  done
fi

if [ -n "$password" ]; then
  if have chpasswd; then
    said=$(printf '%s:%s\n' "$user" "$password" | chpasswd 2>&1)
  elif have pw; then
    said=$(printf '%s\n' "$password" | pw usermod "$user" -h 0 2>&1)
  else
    said="This host has neither chpasswd nor pw."
    false
  fi
  if [ $? -eq 0 ]; then say password changed; else say failed "password $(words "$said")"; fi
fi

# As the account itself: root that writes below a folder of somebody else can be led elsewhere by links.
as_account='
umask 077
cd || { echo "The account has no home folder."; exit 1; }
IFS= read -r mark
IFS= read -r key
if [ -L .ssh ] || [ -L .ssh/authorized_keys ]; then echo ".ssh or authorized_keys is a link."; exit 1; fi
if [ ! -d .ssh ]; then mkdir .ssh || exit 1; fi
new=.ssh/.new-$$
set -C
{
  if [ -f .ssh/authorized_keys ]; then
    while IFS= read -r line || [ -n "$line" ]; do
      case $line in *" $mark") ;; *) printf "%s\n" "$line" ;; esac
    done < .ssh/authorized_keys
  fi
  printf "%s %s\n" "$key" "$mark"
} > "$new" && chmod 600 "$new" && mv -f "$new" .ssh/authorized_keys || { rm -f "$new"; exit 1; }
if command -v restorecon >/dev/null 2>&1; then restorecon -R .ssh; fi
'
if [ -n "$key" ]; then
  if su -s /bin/sh "$user" -c : >/dev/null 2>&1 </dev/null; then
    said=$(printf '%s\n%s\n' "$mark" "$key" | su -s /bin/sh "$user" -c "$as_account" 2>&1)
  else
    said=$(printf '%s\n%s\n' "$mark" "$key" | SHELL=/bin/sh su -m "$user" -c "HOME=~$user; $as_account" 2>&1)
  fi
  if [ $? -eq 0 ]; then say key changed; else say failed "key $(words "$said")"; fi
fi

push_sudo() {
  folder=/etc/sudoers.d
  if [ -d /usr/local/etc/sudoers.d ]; then folder=/usr/local/etc/sudoers.d; fi
  file=$folder/postern-$(printf '%s' "$user" | tr . _)
  if ! have visudo || [ ! -d "$folder" ]; then
    echo "This host has no sudo with a folder sudoers.d."
    return 1
  fi
  # sudo does not read files with a dot in their name.
  new=$file.new
  rm -f "$new"
  (umask 337 && printf '%s ALL=(ALL) NOPASSWD: %s\n' "$user" "$sudo" > "$new") || return 1
  visudo -c -q -f "$new" || { rm -f "$new"; return 1; }
  if [ -f "$file" ]; then cp -p "$file" "$file.old" || return 1; fi
  mv -f "$new" "$file" || return 1
  if visudo -c -q; then
    rm -f "$file.old"
    return 0
  fi
  if [ -f "$file.old" ]; then mv -f "$file.old" "$file"; else rm -f "$file"; fi
  echo "With this rule the whole of sudoers would not be valid."
  return 1
}

if [ -n "$sudo" ]; then
  if said=$(push_sudo 2>&1); then say sudo changed; else say failed "sudo $(words "$said")"; fi
fi
say end 1
