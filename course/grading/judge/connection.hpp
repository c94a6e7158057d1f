/// @file
/// The judge's end of the connection to the learner's process.
#pragma once

#include "judge/messages.hpp"

#include <functional>

namespace judge {

/// Asks, and has `read` read the answer. Ends this process when there is no answer any more, or when it
/// is none to this question: the tutor then judges by how the learner's process has ended.
void ask(Ask what, const Writer &arguments, const std::function<void(Reader &)> &read);
/// Says what has no answer: it goes along with the next question, and nobody waits.
void tell(Ask what, const Writer &arguments);
/// As ask() does, for what takes an answer apart later.
void believing(const std::function<void()> &take);
/// Ends this process where so many bytes are to cross at once that no frame holds them: the checker asks for too much.
void hold_in_frame(std::size_t bytes);

} // namespace judge
