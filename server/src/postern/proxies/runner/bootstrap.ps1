# Reads a script from standard input and runs it. The command line that starts this is constant.
$ErrorActionPreference = 'Stop'
$ProgressPreference = 'SilentlyContinue'
$utf8 = New-Object Text.UTF8Encoding $false
try { [Console]::OutputEncoding = $utf8 } catch { }
$reader = New-Object IO.StreamReader([Console]::OpenStandardInput(), $utf8)
$writer = New-Object IO.StreamWriter([Console]::OpenStandardOutput(), $utf8)
$writer.AutoFlush = $true
$writer.WriteLine("POSTERN-READY $PID")
$text = ''
$left = [int]$reader.ReadLine()
if ($left -lt 1) { exit 3 }
while ($left -gt 0) {
  $line = $reader.ReadLine()
  if ($null -eq $line) { exit 3 }
  $text += "$line`n"
  $left--
}
if ($reader.ReadLine() -cne 'POSTERN-END') { exit 3 }
$ErrorActionPreference = 'Continue'
$LASTEXITCODE = 0
try { . ([scriptblock]::Create($text)) }
catch { [Console]::Error.WriteLine(($_ | Out-String).Trim()); exit 1 }
exit $LASTEXITCODE
