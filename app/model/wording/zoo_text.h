// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>

#include "backend/graph/zoo.h"

namespace divisi::model {

// Returns the zoo's description of a model in the program's language.

QString zoo_meaning(const graph::ZooModel& model);
/// Returns the name of a size, such as "Layers".
QString zoo_size_name(const graph::ZooSize& size);
/// Returns the help of a size, such as "Number of layers or blocks. Range: 1 to 1,000 layers".
QString zoo_size_help(const graph::ZooSize& size);

}  // namespace divisi::model
