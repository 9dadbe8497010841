# Creates or changes one local account on this host. The input is one value a line; an empty line leaves it as it is.
# Run by the bootstrap of the runner, which provides $reader, $writer and $utf8. Answers are lines of nonce, tab, name,
# tab, value; "end" comes last. Safe to repeat.
$nonce = $reader.ReadLine()
$user = $reader.ReadLine()
$groups = $reader.ReadLine()
$mark = $reader.ReadLine()
$key = $reader.ReadLine()
$usedFor = $reader.ReadLine()
$password = $reader.ReadLine()
$ErrorActionPreference = 'Stop'

function Say([string]$name, $value) {
  $text = ("$value" -replace '[\x00-\x1f\x7f]', ' ').Trim()
  if ($text.Length -gt 1000) { $text = $text.Substring(0, 1000) }
  $writer.WriteLine("$nonce`t$name`t$text")
}

function Stop-Here([string]$why) {
  Say 'failed' $why
  Say 'end' 1
  exit 1
}

function Get-Secure([string]$text) { ConvertTo-SecureString $text -AsPlainText -Force }

function Add-ToGroup([hashtable]$group, [string]$shown) {
  try { Add-LocalGroupMember @group -Member $user; Say 'group' $shown }
  catch {
    if ($_.FullyQualifiedErrorId -like 'MemberExists*') { Say 'group' $shown }
    else { Say 'failed' "group ${shown}: $($_.Exception.Message)" }
  }
}

# The folder of the profile. It is made as Windows makes it: a folder that somebody else made is not used at sign-in.
function Get-Profile([string]$sid) {
  $place = "HKLM:\SOFTWARE\Microsoft\Windows NT\CurrentVersion\ProfileList\$sid"
  if (-not (Test-Path -LiteralPath $place)) {
    Add-Type -Namespace Postern -Name Profiles -MemberDefinition @'
[DllImport("userenv.dll", CharSet = CharSet.Unicode)]
public static extern int CreateProfile(string sid, string name, System.Text.StringBuilder path, uint size);
'@
    $path = New-Object Text.StringBuilder 260
    $code = [Postern.Profiles]::CreateProfile($sid, $user, $path, 260)
    if ($code -ne 0) { throw "CreateProfile answered $code." }
  }
  (Get-ItemProperty -LiteralPath $place).ProfileImagePath
}

function Stop-AtLink([string]$path) {
  $item = Get-Item -LiteralPath $path -Force -ErrorAction SilentlyContinue
  if ($item -and ($item.Attributes -band [IO.FileAttributes]::ReparsePoint)) { throw "$path is a link." }
}

function Set-Key([string]$sid, [bool]$isAdmin) {
  if ($isAdmin) {
    $folder = Join-Path $env:ProgramData 'ssh'
    $file = Join-Path $folder 'administrators_authorized_keys'
  } else {
    $folder = Join-Path (Get-Profile $sid) '.ssh'
    $file = Join-Path $folder 'authorized_keys'
  }
  Stop-AtLink $folder
  Stop-AtLink $file
  [void](New-Item -ItemType Directory -Path $folder -Force)
  $lines = @()
  if (Test-Path -LiteralPath $file) {
    $lines = @([IO.File]::ReadAllLines($file) | Where-Object { -not $_.EndsWith(" $mark") })
  }
  [IO.File]::WriteAllLines($file, [string[]]($lines + "$key $mark"), $utf8)
  # sshd refuses files that others may write.
  $grants = @('*S-1-5-18:F', '*S-1-5-32-544:F')
  if (-not $isAdmin) { $grants += "*${sid}:F" }
  $said = & icacls.exe $file /inheritance:r /grant $grants 2>&1
  if ($LASTEXITCODE -ne 0) { throw "icacls: $said" }
}

if (-not (Get-Command New-LocalUser -ErrorAction SilentlyContinue)) { Stop-Here 'no_local_accounts' }
if ((Get-CimInstance -ClassName Win32_ComputerSystem).DomainRole -ge 4) { Stop-Here 'domain_controller' }
$account = Get-LocalUser -Name $user -ErrorAction SilentlyContinue
if ($account) {
  # Numbers below 1000 belong to accounts of the system (Administrator, Guest).
  $number = [long]$account.SID.Value.Split('-')[-1]
  if ($number -lt 1000) { Stop-Here "account_of_system $number" }
  Say 'account' 'present'
} else {
  $secret = $password
  if (-not $secret) {
    $bytes = New-Object byte[] 32
    $source = [Security.Cryptography.RandomNumberGenerator]::Create()
    $source.GetBytes($bytes)
    $secret = 'aA1!' + [Convert]::ToBase64String($bytes)
  }
  try {
    $account = New-LocalUser -Name $user -Password (Get-Secure $secret) -PasswordNeverExpires -AccountNeverExpires
    Say 'account' 'created'
    if ($password) { Say 'password' 'changed' }
  } catch { Stop-Here "account $($_.Exception.Message)" }
  $password = ''
}
if ($password) {
  try { Set-LocalUser -Name $user -Password (Get-Secure $password); Say 'password' 'changed' }
  catch { Say 'failed' "password $($_.Exception.Message)" }
}
Add-ToGroup @{ SID = 'S-1-5-32-545' } 'Users'
if ($usedFor -eq 'rdp') { Add-ToGroup @{ SID = 'S-1-5-32-555' } 'Remote Desktop Users' }
foreach ($group in $groups.Split(',')) {
  if ($group.Trim()) { Add-ToGroup @{ Name = $group.Trim() } $group.Trim() }
}
if ($key) {
  try {
    $sid = $account.SID.Value
    $isAdmin = [bool](Get-LocalGroupMember -SID 'S-1-5-32-544' | Where-Object { $_.SID.Value -eq $sid })
    Set-Key $sid $isAdmin
    Say 'key' 'changed'
  } catch { Say 'failed' "key $($_.Exception.Message)" }
}
Say 'end' 1
