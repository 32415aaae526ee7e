#pragma once

// Headers that most tests include and that change only with the system.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "services/common/precompiled.h"
