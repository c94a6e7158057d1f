# The names with a leading underscore that a preprocessed text (-E -dD) has from headers of `folder`, a line each.
/^# [0-9]+ "/ {
  own = index($0, "\"" folder) > 0
  next
}
own {
  count = split($0, words, /[^A-Za-z0-9_]+/)
  for (i = 1; i <= count; ++i)
    if (words[i] ~ /^_./ && !(words[i] in seen)) {
      seen[words[i]] = 1
      print words[i]
    }
}
