# Grading: its parts, the walls around submissions, and submissions that try to get over them.

add_tutor_test(grade.class grade/class_test.cpp grading)
add_tutor_test(grade.formats grade/formats_test.cpp grading)
