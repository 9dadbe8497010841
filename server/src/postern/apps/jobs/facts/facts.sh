# Prints facts about this host, one a line: the first line of the input, a tab, a name, a tab, the value.
# POSIX sh and its builtins, uname, and sysctl on BSD and macOS. What is missing is left out; "end" comes last.
IFS= read -r nonce || exit 3
LC_ALL=C
PATH=$PATH:/usr/sbin:/sbin:/usr/local/sbin
export LC_ALL PATH

say() {
  if [ -n "$2" ]; then printf '%s\t%s\t%.1000s\n' "$nonce" "$1" "$2"; fi
}

say_file() {
  if [ -r "$2" ] && IFS= read -r line < "$2"; then say "$1" "$line"; fi
}

unquoted() {
  text=${1#[\"\']}
  text=${text%[\"\']}
}

kernel=$(uname -s 2>/dev/null)
say kernel "$kernel"
say release "$(uname -r 2>/dev/null)"
say arch "$(uname -m 2>/dev/null)"
say hostname "$(uname -n 2>/dev/null)"

if [ -r /etc/os-release ]; then
  while IFS='=' read -r name value; do
    unquoted "$value"
    case $name in
      NAME) say os_name "$text" ;;
      VERSION_ID) say os_version "$text" ;;
    esac
  done < /etc/os-release
fi

if [ -r /proc/meminfo ]; then
  while read -r name value unit; do
    case $name in
      MemTotal:) say memory_kib "$value"; break ;;
    esac
  done < /proc/meminfo
fi

if [ -r /proc/cpuinfo ]; then
  threads=0
  sockets=0
  seen=' '
  cores=
  model=
  while IFS=: read -r name value; do
    value=${value# }
    case $name in
      processor*) threads=$((threads + 1)) ;;
      'physical id'*)
        case $seen in
          *" $value "*) ;;
          *) seen="$seen$value "; sockets=$((sockets + 1)) ;;
        esac
        ;;
      'cpu cores'*) cores=$value ;;
      'model name'* | 'Model'*) if [ -z "$model" ]; then model=$value; fi ;;
    esac
  done < /proc/cpuinfo
  say cpu_threads "$threads"
  if [ "$sockets" -gt 0 ]; then say cpu_sockets "$sockets"; fi
  say cpu_cores "$cores"
  say cpu_model "$model"
fi

say_file vendor /sys/class/dmi/id/sys_vendor
say_file model /sys/class/dmi/id/product_name
say_file serial /sys/class/dmi/id/product_serial

for disk in /sys/block/*; do
  name=${disk##*/}
  case $name in
    '*' | loop* | ram* | zram* | dm-* | md* | sr* | fd*) continue ;;
  esac
  if [ -r "$disk/size" ] && IFS= read -r sectors < "$disk/size"; then say disk "$name $sectors"; fi
done

case $kernel in
  FreeBSD | OpenBSD | NetBSD | DragonFly | Darwin)
    say cpu_threads "$(sysctl -n hw.ncpu 2>/dev/null)"
    say cpu_model "$(sysctl -n machdep.cpu.brand_string 2>/dev/null || sysctl -n hw.model 2>/dev/null)"
    say memory_bytes "$(sysctl -n hw.memsize 2>/dev/null || sysctl -n hw.physmem 2>/dev/null)"
    ;;
esac
if [ "$kernel" = Darwin ]; then
  say os_name "$(sw_vers -productName 2>/dev/null)"
  say os_version "$(sw_vers -productVersion 2>/dev/null)"
  say model "$(sysctl -n hw.model 2>/dev/null)"
  say vendor Apple
fi
if [ "$kernel" = AIX ]; then
  say os_version "$(oslevel -s 2>/dev/null)"
  memory=$(lsattr -El sys0 -a realmem -F value 2>/dev/null)
  say memory_kib "$memory"
fi
printf '%s\tend\t1\n' "$nonce"
