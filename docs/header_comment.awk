# Makes the comment that opens a header, if it has one, the documentation of that header.
NR == 1 && /^\/\// { opening = 1; print "/// @file" }
/^#pragma once/ { opening = 0 }
opening { sub(/^\/\/+/, "///") }
{ print }
